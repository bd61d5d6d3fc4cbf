// JSON text in which equal values have equal texts: keys sorted by code unit, as RFC 8785 does.
import { isRecord } from './record.ts';

/** Members that are undefined are left out, as JSON.stringify does. The value must be free of cycles. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sortKeys(inner) : inner));
}

function sortKeys(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // A null prototype: `__proto__` is a key like any other. Integer-like keys come first either way, in order.
  const sorted: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(object).sort()) sorted[key] = object[key];
  return sorted;
}
