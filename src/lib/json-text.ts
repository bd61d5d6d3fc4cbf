// Passes JSON on exactly as it was sent, with its numbers, member order and escapes.
import { randomUUID } from 'node:crypto';
import { removeWhitespace } from './json-scan.ts';

/** A JSON value with its text, which `stringifyJson` writes unchanged. */
export class JsonText<T = unknown> {
  /** The text without white space between tokens. */
  readonly text: string;
  #parsed: { readonly value: T } | undefined;

  /** Throws SyntaxError if the text is not JSON. With `isTrusted`, the text is not checked, nor is white space removed. */
  constructor(text: string, { isTrusted = false }: { readonly isTrusted?: boolean } = {}) {
    if (!isTrusted) this.#parsed = { value: JSON.parse(text) as T };
    this.text = isTrusted ? text : removeWhitespace(text);
  }

  static of<T>(value: T): JsonText<T> {
    return JsonText.trust(JSON.stringify(value));
  }

  /** Returns JSON that this service wrote, for example to the database. It is parsed only if `value` is read. */
  static trust<T>(text: string): JsonText<T> {
    return new JsonText<T>(text, { isTrusted: true });
  }

  /** The value as JavaScript parses it, which may lose precision. */
  get value(): T {
    this.#parsed ??= { value: JSON.parse(this.text) as T };
    return this.#parsed.value;
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
