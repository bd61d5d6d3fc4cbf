// `npm test` runs all tests; with `--fast` first (`npm run test:fast`) only those that test/slow.ts does not list. Most
// run in batches whose files share a process; the others each have their own.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { BATCHES, filesAlone, writeBatchFile } from '../test/batches.ts';

const ROOT = join(import.meta.dirname, '..');
const [pattern, ...otherArguments] = process.argv.slice(2);
const isFast = pattern === '--fast';
const batches = BATCHES.filter(name => !isFast || name.startsWith('fast-'));
const files = [
  ...batches.map(writeBatchFile),
  ...(isFast ? [] : filesAlone().map(file => join(ROOT, 'test', file))),
];
// Many slow tests wait for a clock or a process: five at a time keep two cores busy.
const concurrency = isFast ? 2 : 5;
const options = [
  '--import=./test/support/end-in-time.ts',
  '--test-global-setup=test/support/global-setup.ts',
  `--test-concurrency=${concurrency}`,
];
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    ...options,
    '--test-timeout=240000',
    ...(isFast ? otherArguments : process.argv.slice(2)),
    ...files,
  ],
  { cwd: ROOT, stdio: 'inherit' },
);
process.exit(status ?? 1);
