// Chooses the content coding of a response (RFC 9110 §12.5.3), and adds it to ETags (§8.8.3.3).

/** Supported codings, best first. */
const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

const MAX_LISTED = 16;
const ETAG_CODING = new RegExp(`-(?:${CODINGS.join('|')})"$`);

/** Returns the coding that the caller prefers, or undefined for none. Among equal ones, returns the first of `codings`. */
export function chooseCoding<C extends Coding = Coding>(
  accepted: string | undefined,
  codings: readonly C[] = CODINGS as readonly Coding[] as readonly C[],
): C | undefined {
  if (accepted === undefined) return undefined;
  const weights = new Map(accepted.toLowerCase().split(',', MAX_LISTED).map(parseItem));
  const getWeight = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const best = codings.reduce((left, right) => (getWeight(right) > getWeight(left) ? right : left));
  return getWeight(best) > 0 && getWeight(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

function parseItem(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map(part => part.trim());
  const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight) || 0];
}

/** Adds the coding to a strong ETag, because the bytes differ. A weak ETag covers all codings. */
export function toCodedEtag(etag: string, coding: Coding): string {
  return etag.startsWith('W/') ? etag : `${etag.slice(0, -1)}-${coding}"`;
}

/** Returns the ETag without a coding. */
export function toPlainEtag(etag: string): string {
  return etag.replace(ETAG_CODING, '"');
}
