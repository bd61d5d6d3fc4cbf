// Derives a readable name of a browser from its user agent.

/** The first match counts. More specific names come first, because most user agents also contain other names. */
const BROWSERS: readonly (readonly [token: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: readonly (readonly [token: string, name: string])[] = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
];

/** Returns a name such as `Firefox on Windows`, or the user agent if it is not a browser's. */
export function getBrowserName(userAgent: string | null | undefined): string {
  if (userAgent === null || userAgent === undefined || userAgent === '') return 'Unknown browser';
  const findName = (table: typeof BROWSERS): string | undefined =>
    table.find(([token]) => userAgent.includes(token))?.[1];
  const [browser, system] = [findName(BROWSERS), findName(SYSTEMS)];
  if (browser === undefined) return userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
