// Limits on what nodes take from graphs and the outside, and on what they give out.
import type { Json, JsonObject, Value } from '../graph/types.ts';
import { NodeError } from './define.ts';

/** The longest text that a node gives out, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 1_000_000;
/** The longest list that a node gives out. A node is mapped over at most 100 items; longer lists are for slicing. */
export const MAX_LIST_LENGTH = 1000;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text as it stands, or a NodeError where it is too long to be passed on. */
export function boundedText(text: string): string {
  assertTextLength(text.length);
  return text;
}

/** For texts not built yet. */
export function assertTextLength(length: number): void {
  if (length <= MAX_TEXT_LENGTH) return;
  throw new NodeError(
    'text_too_long',
    `The text would have ${length} characters; at most ${MAX_TEXT_LENGTH} can be passed on.`,
  );
}

/** The items as they stand, or a NodeError where there are too many to be passed on. */
export function boundedList(items: readonly Value[]): readonly Value[] {
  if (items.length <= MAX_LIST_LENGTH) return items;
  throw new NodeError(
    'list_too_long',
    `The list has ${items.length} items; at most ${MAX_LIST_LENGTH} can be passed on.`,
  );
}

const MAX_JSON_DEPTH = 100;

/** Text from outside as JSON; undefined where it is none, or nested deeper than 100 levels. */
export function parseJson(text: string): Json | undefined {
  try {
    const json = JSON.parse(text) as Json;
    return isShallow(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

// Level by level, since a walk by recursion is what deep nesting breaks.
function isShallow(json: Json): boolean {
  let level: readonly unknown[] = [json];
  for (let depth = 0; depth < MAX_JSON_DEPTH && level.length > 0; depth++) {
    level = level.flatMap(value => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return level.length === 0;
}
