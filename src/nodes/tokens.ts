// `{{tokens}}` in texts: places that a port fills.
import { isPortName } from './limits.ts';

const TOKEN = /\{\{\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*\}\}/g;
const ALONE = /^\{\{\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*\}\}$/;

/** The names in order, each as often as it stands there. */
export function* tokensIn(text: string): Generator<string> {
  for (const [, name] of text.matchAll(TOKEN)) if (isPortName(name)) yield name;
}

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
