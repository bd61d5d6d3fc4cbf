// Derives a readable browser name from the user agent.
import { messages } from './messages.ts';

/** The first match counts, because most user agents also name other browsers. */
const BROWSERS: readonly (readonly [mark: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: readonly (readonly [mark: string, name: string])[] = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
];

export function browserName(userAgent: string | null): string {
  if (userAgent === null) return messages.unknown;
  const nameIn = (table: typeof BROWSERS): string | undefined =>
    table.find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === undefined) return userAgent;
  return system === undefined ? browser : messages.on(browser, system);
}
