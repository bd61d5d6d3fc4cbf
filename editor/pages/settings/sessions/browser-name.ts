// Derives a readable browser name from the user agent.
import { messages } from './messages.ts';

/** The order matters, because most user agents also name other browsers. The first match counts. */
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

export function getBrowserName(userAgent: string | null): string {
  if (userAgent === null) return messages.unknown;
  const findName = (table: typeof BROWSERS): string | undefined =>
    table.find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser, system] = [findName(BROWSERS), findName(SYSTEMS)];
  if (browser === undefined) return userAgent;
  return system === undefined ? browser : messages.on(browser, system);
}
