// Checks values that nodes accept from graphs and external sources, and the size of values that nodes output.
import { MAX_LIST_LENGTH } from '../graph/input-values.ts';
import type { Json, Value } from '../graph/types.ts';
import { NodeError } from './define.ts';

/** The maximum length of a text output, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 1_000_000;

/** Returns the text unchanged, or throws NodeError if it is too long to output. */
export function requireShortText(text: string): string {
  requireShortLength(text.length);
  return text;
}

/** Checks the length of a text before it is built. */
export function requireShortLength(length: number): void {
  if (length <= MAX_TEXT_LENGTH) return;
  throw new NodeError(
    'text_too_long',
    `The text would have ${length} characters. The maximum is ${MAX_TEXT_LENGTH}.`,
  );
}

/** Returns the items unchanged, or throws NodeError if there are too many to output. */
export function requireShortList(items: readonly Value[]): readonly Value[] {
  if (items.length <= MAX_LIST_LENGTH) return items;
  throw new NodeError(
    'list_too_long',
    `The list has ${items.length} items. The maximum is ${MAX_LIST_LENGTH}.`,
  );
}

const MAX_JSON_DEPTH = 100;

/** Parses untrusted text as JSON. Returns undefined if it is invalid or nested deeper than 100 levels. */
export function parseBoundedJson(text: string): Json | undefined {
  try {
    const json = JSON.parse(text) as Json;
    return isWithinDepth(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

// Walks level by level, because recursion would overflow the stack on deep nesting.
function isWithinDepth(json: Json): boolean {
  let level: readonly unknown[] = [json];
  for (let depth = 0; depth < MAX_JSON_DEPTH && level.length > 0; depth++) {
    level = level.flatMap(value => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return level.length === 0;
}

/** Returns a hexadecimal color (`#rgb` to `#rrggbbaa`) unchanged. Throws NodeError for anything else. */
export function requireColor(value: string): string {
  if (/^#(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value)) return value;
  throw new NodeError(
    'invalid_color',
    `${JSON.stringify(value.slice(0, 40))} is not a valid color. Use a form such as #1d4ed8 or #1d4ed880.`,
  );
}
