// Passes JSON on exactly as it was sent, with its numbers, member order and escapes.
import { randomUUID } from 'node:crypto';
import { removeWhitespace } from './json-scan.ts';

/** A JSON value with its text, which `stringifyJson` writes unchanged. */
export class JsonText<T = unknown> {
  /** The text without white space between tokens. */
  readonly text: string;
  /** The value as JavaScript parses it, which may lose precision. */
  readonly value: T;

  /** Throws SyntaxError if the text is not JSON. */
  constructor(text: string) {
    this.value = JSON.parse(text) as T;
    this.text = removeWhitespace(text);
  }

  static of<T>(value: T): JsonText<T> {
    return new JsonText(JSON.stringify(value));
  }

  toJSON(): unknown {
    if (collectedTexts === undefined) return this.value;
    collectedTexts.push(this.text);
    return PLACEHOLDER_PREFIX + (collectedTexts.length - 1);
  }
}

// Unguessable, so no string in a value can be mistaken for a placeholder.
const PLACEHOLDER_PREFIX = `${randomUUID()}:`;
const PLACEHOLDERS = new RegExp(`"${PLACEHOLDER_PREFIX}(\\d+)"`, 'g');
// The texts inside the value that `stringifyJson` is writing. Only one value is written at a time, because writing is
// synchronous.
let collectedTexts: string[] | undefined;

/** Works like JSON.stringify, but writes each JsonText inside the value unchanged. */
export function stringifyJson(value: unknown): string {
  const texts: string[] = [];
  collectedTexts = texts;
  try {
    const text = JSON.stringify(value);
    return texts.length === 0
      ? text
      : text.replace(PLACEHOLDERS, (_, index: string) => texts[Number(index)] ?? '');
  } finally {
    collectedTexts = undefined;
  }
}
