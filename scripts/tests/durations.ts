// Reads and stores how long test files take.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Maps test files to seconds. Files are relative to the root. */
export type Durations = Readonly<Record<string, number>>;

const getPath = (root: string): string => join(root, 'test/durations.json');

export function readDurations(root: string): Durations {
  const path = getPath(root);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Durations) : {};
}

/** Stores the seconds of files that still exist. */
export function storeDurations(root: string, durations: Durations): void {
  const rows = Object.entries(durations)
    .filter(([file]) => existsSync(join(root, file)))
    .map(([file, seconds]) => [file, Number(seconds.toPrecision(2))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(getPath(root), `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}
