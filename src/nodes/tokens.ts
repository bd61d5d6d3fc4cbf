// `{{tokens}}` in texts: places that a port fills.
import { isPortName } from '../graph/config-ports.ts';

const TOKEN = /\{\{\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*\}\}/g;
const ALONE = /^\{\{\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*\}\}$/;

/** The name of the one token that the text consists of. */
export function tokenAlone(text: string): string | undefined {
  const name = ALONE.exec(text)?.[1];
  return isPortName(name) ? name : undefined;
}

/** The text with `fill(name, whole)` in place of each token. */
export function replaceTokens(text: string, fill: (name: string, whole: string) => string): string {
  return text.replace(TOKEN, (whole: string, name: string) => fill(name, whole));
}

/** A value in the middle of a text. */
export function asFilling(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
