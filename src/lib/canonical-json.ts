// Writes canonical JSON: equal values have equal texts, with keys sorted by code unit as in RFC 8785.
import { isRecord } from './record.ts';

/** Serializes the value without undefined members, like JSON.stringify. The value must not contain cycles. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sortKeys(inner) : inner));
}

function sortKeys(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // A null prototype, so that `__proto__` is an ordinary key. Integer-like keys come first either way, in order.
  const sorted: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(object).sort()) sorted[key] = object[key];
  return sorted;
}
