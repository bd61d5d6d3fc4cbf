// What a call at a provider is given in tests: the real guarded client, and a record that is looked at.
import { createGuardedFetch } from '../../../src/lib/fetch.ts';
import { DEFAULT_PACE, type Pace, type ProviderJob } from '../../../src/providers/provider.ts';
import type { JobHost } from '../../../src/providers/run-job.ts';

/** A port where nobody listens. */
export const NOBODY = 'http://127.0.0.1:1';

/** Nothing is waited for longer than a test likes. */
export const QUICK: Pace = {
  ...DEFAULT_PACE,
  firstMs: 2,
  maxMs: 20,
  retryForMs: 3_000,
  deadlineMs: 20_000,
};

export interface TestHost extends JobHost {
  readonly kept: readonly ProviderJob[];
  close(): Promise<void>;
}

export interface HostOptions {
  readonly stored?: ProviderJob;
  readonly signal?: AbortSignal;
  /** Called with each record, before it counts as kept. */
  readonly onKeep?: (job: ProviderJob) => void;
}

/** Reaches the double alone: its address counts as configured by the operator. */
export function makeHost(url: string, { stored, signal, onKeep }: HostOptions = {}): TestHost {
  const client = createGuardedFetch({ allowPrivate: false, trustedOrigins: [url, NOBODY] });
  const kept: ProviderJob[] = [];
  return {
    fetch: (address, init) => client.fetch(address, init),
    signal: signal ?? new AbortController().signal,
    job: {
      stored,
      keep: async job => {
        onKeep?.(job);
        kept.push(job);
      },
    },
    progress: () => undefined,
    kept,
    close: () => client.close(),
  };
}
