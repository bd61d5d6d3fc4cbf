// Converts the fields of an audit row to JSON: only those that differ, without secrets, at most a few kilobytes.
import { isDeepStrictEqual } from 'node:util';
import { cutText } from '../../lib/cut-text.ts';
import { isRecord } from '../../lib/record.ts';

/** Values of fields. They must contain no secret; texts and lists are cut. */
export type AuditFields = Readonly<Record<string, unknown>>;

const MAX_TEXT_CHARS = 300;
const MAX_ITEMS = 50;
const MAX_DEPTH = 4;
/** Of the JSON of `before` and of `after`, in UTF-16 code units. */
const MAX_JSON_CHARS = 8000;

/** Names of fields whose values are never stored, in addition to what callers leave out. */
const SECRET_NAME =
  /passw|secret|token|api_?key|private_?key|authorization|cookie|hash$|^(key|code|codes|url|link|challenge|assertion|attestation)$/i;
const HIDDEN = '(hidden)';

export interface AuditJson {
  readonly before: string | null;
  readonly after: string | null;
}

export function toAuditJson(before: AuditFields | undefined, after: AuditFields | undefined): AuditJson {
  if (before === undefined || after === undefined) return { before: toJson(before), after: toJson(after) };
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter(name => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null));
  const pick = (fields: AuditFields): AuditFields =>
    Object.fromEntries(changed.map(name => [name, fields[name] ?? null]));
  return { before: toJson(pick(before)), after: toJson(pick(after)) };
}

function toJson(fields: AuditFields | undefined): string | null {
  if (fields === undefined) return null;
  const json = JSON.stringify(limit(fields, MAX_DEPTH));
  if (json.length <= MAX_JSON_CHARS) return json;
  return JSON.stringify({ tooLarge: Object.keys(fields).slice(0, MAX_ITEMS).map(cut) });
}

/** Returns a copy with a limited depth, number of items and length of texts. */
function limit(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cut(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) {
    if (depth === 0) return `(${value.length} items)`;
    return value.slice(0, MAX_ITEMS).map(item => limit(item, depth - 1));
  }
  if (!isRecord(value)) return typeof value === 'bigint' ? String(value) : value;
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  if (depth === 0) return `(${entries.length} fields)`;
  return Object.fromEntries(
    entries.map(([name, item]) => [
      cut(name),
      SECRET_NAME.test(name) && item !== null ? HIDDEN : limit(item, depth - 1),
    ]),
  );
}

const cut = (text: string): string =>
  text.length <= MAX_TEXT_CHARS ? text : `${cutText(text, MAX_TEXT_CHARS - 1)}…`;
