// `npm test`: all tests; with `--fast` first (`npm run test:fast`), those that test/slow.ts does not name. The fast ones run
// in two processes, the slow ones in one each.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { splitTests } from '../test/slow.ts';

const [first, ...others] = process.argv.slice(2);
const isFast = first === '--fast';
const slow = isFast ? [] : splitTests().slow.map(file => join('test', file));
const files = ['test/support/fast-first.ts', 'test/support/fast-second.ts', ...slow];
// Many of the slow ones wait for a clock or a process: a third next to the two halves keeps two cores at work.
const concurrency = isFast ? 2 : 3;
const options = ['--test-global-setup=test/support/global-setup.ts', `--test-concurrency=${concurrency}`];
const { status } = spawnSync(
  process.execPath,
  // A half of the fast tests counts as a test.
  ['--test', ...options, '--test-timeout=240000', ...(isFast ? others : process.argv.slice(2)), ...files],
  { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' },
);
process.exit(status ?? 1);
