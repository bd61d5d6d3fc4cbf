// Parses and replaces `{{tokens}}` in text.
import { isPortName, TOKEN } from '../graph/config-ports.ts';

const LONE_TOKEN = new RegExp(`^${TOKEN.source}$`, 'u');

/** Returns the name of the token if the text is a single token. */
export function parseLoneToken(text: string): string | undefined {
  const name = LONE_TOKEN.exec(text)?.[1];
  return isPortName(name) ? name : undefined;
}

/** Returns the text with each token replaced by `fill(name, token)`. */
export function replaceTokens(text: string, fill: (name: string, token: string) => string): string {
  return text.replace(TOKEN, (token: string, name: string) => fill(name, token));
}

/** Formats a value for insertion into a text. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
