// Reads and extends the list of test files that failed and then passed without a change.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIST = 'test/flaky.txt';
const COMMENT =
  '# Test files that failed and then passed alone. `npm run test:all` repeats them. Remove a file when its cause is fixed.';

/** Returns the listed files that still exist. */
export function readFlakyList(root: string): readonly string[] {
  const path = join(root, LIST);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.filter(line => line !== '' && !line.startsWith('#') && existsSync(join(root, line)));
}

/** Adds the files to the list, which is sorted. */
export function addToFlakyList(root: string, files: readonly string[]): void {
  const all = new Set([...readFlakyList(root), ...files]);
  writeFileSync(join(root, LIST), [COMMENT, ...[...all].sort(), ''].join('\n'));
}
