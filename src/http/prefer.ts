// Reads the Prefer header (RFC 7240) of a request that starts a run.

const MAX_WAIT_SECONDS = 60;

export interface Preference {
  /** 0 if the caller does not wait. */
  readonly waitSeconds: number;
  /** Properties to add to the response if the wait was shortened. */
  readonly warnings: { readonly warnings?: readonly string[] };
}

/** Parses `Prefer: wait=N`, at most 60 seconds. Other preferences are ignored. */
export function parsePrefer(header: string | string[] | undefined): Preference {
  const asked = /(?:^|[,;]\s*)wait\s*=\s*"?(\d{1,6})"?/i.exec([header ?? ''].flat().join(','))?.[1];
  const seconds = Number(asked ?? 0);
  if (seconds <= MAX_WAIT_SECONDS) return { waitSeconds: seconds, warnings: {} };
  const warning = `Prefer: wait=${seconds} exceeds the limit. The request waited ${MAX_WAIT_SECONDS} s.`;
  return { waitSeconds: MAX_WAIT_SECONDS, warnings: { warnings: [warning] } };
}
