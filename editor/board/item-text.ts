// Converts values to the text that people edit: JSON, and lists with one item per line.
import type { Json } from '../../src/graph/types.ts';

/** Returns text unchanged and other values as JSON. */
export const toItemText = (item: Json): string => (typeof item === 'string' ? item : JSON.stringify(item));

/** Returns the text of a value in a field, which is empty for undefined and null. */
export const toFieldText = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : toItemText(value);

/** Parses numbers, true, false, null and JSON. Everything else is text. */
export function parseItem(text: string): Json {
  if (!/^(?:-?\d|[[{]|true$|false$|null$)/.test(text)) return text;
  try {
    const item = JSON.parse(text) as Json;
    // Keeps text such as 007 or 1e999, which the conversion to a number would change.
    return JSON.stringify(item) === text || typeof item === 'object' ? item : text;
  } catch {
    return text;
  }
}

/** Returns the list with one item per line; undefined for items with line breaks, which the text could not keep. */
export function toLines(items: readonly Json[]): string | undefined {
  const texts = items.map(toItemText);
  return texts.some(text => /[\r\n]/.test(text)) ? undefined : texts.join('\n');
}

/** Parses a list with one item per line. Empty lines are no items. */
export const parseLines = (text: string): readonly Json[] =>
  text
    .split(/\r?\n/)
    .filter(line => line.trim() !== '')
    .map(parseItem);

export const toJsonText = (value: Json | undefined): string =>
  value === undefined ? '' : JSON.stringify(value, null, 2);

/** Parses JSON; undefined if the text is not valid. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
