// Streams JSON with long texts in parts, so that its text is never whole in memory.
import { Readable } from 'node:stream';
import { JsonText } from '../lib/json-text.ts';
import { pause } from '../lib/pause.ts';

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
      await pause();
    }
  }
  yield text;
}

/** Yields pieces of at most a part each. */
function* writeValue(value: unknown): Generator<string, void, undefined> {
  if (value instanceof JsonText) yield* splitText(value.text);
  else if (typeof value === 'string') {
    yield '"';
    for (const part of splitText(value)) yield JSON.stringify(part).slice(1, -1);
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

function* splitText(text: string): Generator<string, void, undefined> {
  for (let start = 0; start < text.length; ) {
    const end = start + PART_LENGTH;
    // A surrogate pair stays whole.
    const code = text.charCodeAt(end - 1);
    const partEnd = code >= 0xd800 && code <= 0xdbff ? end + 1 : end;
    yield text.slice(start, partEnd);
    start = partEnd;
  }
}
