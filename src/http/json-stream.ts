// Streams JSON with long texts in parts, so that its text is never whole in memory.
import { Readable } from 'node:stream';
import { cutIntoParts } from '../lib/cut-text.ts';
import { JsonText } from '../lib/json-text.ts';
import { yieldTurn } from '../lib/yield-turn.ts';

const PART_LENGTH = 65_536;

/** Returns a stream of what `stringifyJson` would return. */
export function streamJson(value: unknown): Readable {
  return Readable.from(gatherParts(value));
}

async function* gatherParts(value: unknown): AsyncGenerator<string, void, undefined> {
  let text = '';
  for (const piece of writeValue(value)) {
    text += piece;
    if (text.length >= PART_LENGTH) {
      yield text;
      text = '';
      await yieldTurn();
    }
  }
  yield text;
}

/** Yields pieces of at most a part each. */
function* writeValue(value: unknown): Generator<string, void, undefined> {
  if (value instanceof JsonText) yield* cutIntoParts(value.text, PART_LENGTH);
  else if (typeof value === 'string') {
    yield '"';
    for (const part of cutIntoParts(value, PART_LENGTH)) yield JSON.stringify(part).slice(1, -1);
    yield '"';
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* writeValue(item);
    }
    yield value.length === 0 ? '[]' : ']';
  } else if (typeof value === 'object' && value !== null) yield* writeMembers(value);
  else yield JSON.stringify(value) ?? 'null';
}

function* writeMembers(value: object): Generator<string, void, undefined> {
  let separator = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* writeValue(member);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}
