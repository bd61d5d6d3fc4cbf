// Parses `{{tokens}}` in texts, which are filled from ports.
import { isPortName } from '../graph/config-ports.ts';

const TOKEN = /\{\{\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*\}\}/g;
const ALONE = /^\{\{\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*\}\}$/;

/** Returns the name of the token if the text consists of exactly one. */
export function tokenAlone(text: string): string | undefined {
  const name = ALONE.exec(text)?.[1];
  return isPortName(name) ? name : undefined;
}

/** Returns the text with each token replaced by `fill(name, whole)`. */
export function replaceTokens(text: string, fill: (name: string, whole: string) => string): string {
  return text.replace(TOKEN, (whole: string, name: string) => fill(name, whole));
}

/** Formats a value for insertion into a text. */
export function asFilling(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
