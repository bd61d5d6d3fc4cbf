// `npm test` runs all tests. `npm run test:fast`, which passes `--fast` first, runs only the fast tests.
//
// Loading the program takes a second of processor time, so test files share processes. The name of a test file determines
// its process:
// - `*.slow.test.ts` starts services or processes, waits for real time to pass, or draws, encodes or fuzzes at length.
//   The slow tests of a folder run one after the other in one process.
// - `*.alone.test.ts` inspects its process, for example the memory, and runs alone in a process. It also counts as slow.
// - All other tests are fast. They share two processes.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const TESTS = join(ROOT, 'test');
const BATCHES = join(ROOT, 'test-output/batches');
const RUN_BATCH = join(TESTS, 'support/run-batch.ts');

const isFastOnly = process.argv[2] === '--fast';
const runnerArguments = process.argv.slice(isFastOnly ? 3 : 2);

const files = globSync('**/*.test.ts', { cwd: TESTS, exclude: ['**/node_modules/**'] }).sort();
const aloneFiles = files.filter(file => file.endsWith('.alone.test.ts'));
const slowFiles = files.filter(file => file.endsWith('.slow.test.ts'));
const fastFiles = files.filter(file => !aloneFiles.includes(file) && !slowFiles.includes(file));

const slowBatches = [...Map.groupBy(slowFiles, dirname)]
  // The batches with the most files take longest, so they start first. The runner sorts its files by name.
  .sort(([, a], [, b]) => b.length - a.length)
  .map(([folder, batch], index) => ({
    name: `${String(index).padStart(2, '0')}-${folder.replaceAll('/', '-')}`,
    files: batch,
  }));
const fastBatches = [0, 1].map(half => ({
  name: `fast-${half}`,
  files: fastFiles.filter((_, index) => index % 2 === half),
}));

rmSync(BATCHES, { recursive: true, force: true });
mkdirSync(BATCHES, { recursive: true });
const batches = isFastOnly ? fastBatches : [...slowBatches, ...fastBatches];
for (const batch of batches)
  writeFileSync(
    join(BATCHES, `${batch.name}.ts`),
    `import { runBatch } from ${JSON.stringify(RUN_BATCH)};\nrunBatch(${JSON.stringify(batch.files)});\n`,
  );

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--import=./test/support/end-in-time.ts',
    '--test-global-setup=test/support/global-setup.ts',
    // Many slow tests wait for a clock or a process, so five concurrent processes keep two cores busy.
    `--test-concurrency=${isFastOnly ? 2 : 5}`,
    '--test-timeout=240000',
    ...runnerArguments,
    ...batches.map(({ name }) => join(BATCHES, `${name}.ts`)),
    ...(isFastOnly ? [] : aloneFiles.map(file => join(TESTS, file))),
  ],
  { cwd: ROOT, stdio: 'inherit' },
);
process.exit(status ?? 1);
