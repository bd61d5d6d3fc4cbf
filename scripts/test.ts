// Runs the tests. A file that fails runs once more, alone. If it then passes, it is flaky: the run passes, names the file, and
// adds it to test/flaky.txt.
//
//   node scripts/test.ts [options] [files or folders] [arguments of Node, such as --test-name-pattern=…]
//
// Without options, all tests but the nightly ones run. The options are:
//   --fast           only the fast tests
//   --all            all tests, with NIGHTLY set. Fails if a test is flaky, and repeats the tests in test/flaky.txt.
//   --changed        the tests that a change touches, nightly ones included
//   --nightly-only   together with --changed: only those that are nightly
//   --max-seconds=N  only the shortest of the chosen files, which take N seconds together. Names the others.
//   --record         stores the durations of the files in test/durations.json, by which they are grouped
//   --repetitions=N  repeats them N times instead of 20
//   --root=FOLDER    runs the tests of another folder
import { existsSync, globSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { listChangedFiles } from './tests/changed-files.ts';
import { type Durations, readDurations, storeDurations } from './tests/durations.ts';
import { addToFlakyList, readFlakyList } from './tests/flaky-list.ts';
import { getSeconds, groupFiles, isFast, isNightly } from './tests/groups.ts';
import type { Failure } from './tests/reporter.ts';
import { type Outcome, type RunOptions, runGroups } from './tests/run-groups.ts';
import { listTouchedTests, readTestGraph } from './tests/touched-tests.ts';

/** More failures have a cause, such as a broken service. */
const MAX_RETRIES = 20;
const BUSY_THREADS = 2;

const OPTIONS = {
  fast: { type: 'boolean' },
  all: { type: 'boolean' },
  changed: { type: 'boolean' },
  'nightly-only': { type: 'boolean' },
  'max-seconds': { type: 'string', default: 'Infinity' },
  record: { type: 'boolean' },
  repetitions: { type: 'string', default: '20' },
  root: { type: 'string', default: join(import.meta.dirname, '..') },
} as const;
const { values, positionals, tokens } = parseArgs({
  options: OPTIONS,
  strict: false,
  tokens: true,
});
const ROOT = String(values.root);
const PATHS = positionals.map(path => path.replace(/\/$/, ''));
const RUN: RunOptions = {
  root: ROOT,
  // Many slow tests wait for a clock or a process, so five concurrent processes keep two cores busy.
  concurrency: values.fast === true ? 2 : 5,
  env: values.all === true ? { NIGHTLY: '1' } : {},
  nodeArguments: tokens
    .filter(token => token.kind === 'option')
    .filter(({ name }) => !(name in OPTIONS))
    .map(({ rawName, value }) => (value === undefined ? rawName : `${rawName}=${value}`)),
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function chooseFiles(): readonly string[] {
  const files = globSync('test/**/*.test.{ts,tsx}', { cwd: ROOT, exclude: ['**/node_modules/**'] }).sort();
  const touched =
    values.changed === true
      ? new Set(listTouchedTests(listChangedFiles(ROOT), readTestGraph(ROOT)))
      : undefined;
  const isOfTier = (file: string): boolean => {
    if (values.fast === true) return isFast(file);
    if (values['nightly-only'] === true) return isNightly(file);
    return values.all === true || values.changed === true || !isNightly(file);
  };
  const isBelow = (file: string): boolean =>
    PATHS.length === 0 || PATHS.some(path => file.startsWith(`${path}/`));
  return files.filter(
    file =>
      PATHS.includes(file) ||
      (isOfTier(file) && isBelow(file) && (touched === undefined || touched.has(file))),
  );
}

/** Leaves out the longest files if all take longer than `--max-seconds`. */
function limitTime(files: readonly string[], durations: Durations): readonly string[] {
  let seconds = 0;
  const limited = files
    .toSorted((a, b) => getSeconds(durations, a) - getSeconds(durations, b))
    .filter(file => {
      seconds += getSeconds(durations, file);
      return seconds <= Number(values['max-seconds']);
    });
  const others = files.filter(file => !limited.includes(file));
  if (others.length > 0) print(`Left to \`npm run test:all\`: ${others.join(' ')}`);
  return limited;
}

/**
 * Runs the failed files again, one after the other, and returns whether the failures were chance. Also runs the files that a
 * crash has prevented.
 */
async function retry(first: Outcome): Promise<boolean> {
  const files = [...first.failures.keys()];
  // A failure of a process is the same for all its files.
  const failureCount = new Set(Array.from(first.failures.values(), ([failure]) => failure)).size;
  if (files.length + first.unended.length === 0 || failureCount > MAX_RETRIES) return false;
  print(`\nRunning once more, alone: ${files.join(' ')}`);
  const groups = [...files.map(file => [file]), ...first.unended];
  const second = await runGroups(groups, { ...RUN, concurrency: 1 });
  exitIfInterrupted(second);
  const flakyFiles = files.filter(file => !second.failures.has(file));
  for (const file of flakyFiles) printFailure('FLAKY', file, first.failures.get(file));
  for (const [file, failures] of second.failures) printFailure('FAILED', file, failures);
  if (flakyFiles.length > 0) addToFlakyList(ROOT, flakyFiles);
  return second.hasPassed;
}

/** Repeats the tests of the list on a busy machine. */
async function repeatFlakyFiles(): Promise<boolean> {
  const files = readFlakyList(ROOT);
  if (files.length === 0) return true;
  print(`\nEach file in test/flaky.txt runs ${values.repetitions} times: ${files.join(' ')}`);
  const busyThreads = Array.from({ length: BUSY_THREADS }, () => new Worker('for (;;);', { eval: true }));
  const outcome = await runGroups(
    files.flatMap(file => Array.from({ length: Number(values.repetitions) }, () => [file])),
    { ...RUN, concurrency: 2, env: { ...RUN.env, SLOWDOWN: '4' } },
  );
  for (const thread of busyThreads) await thread.terminate();
  exitIfInterrupted(outcome);
  for (const [file, failures] of outcome.failures) printFailure('FAILED', file, failures);
  return outcome.hasPassed;
}

function printFailure(result: string, file: string, failures: readonly Failure[] = []): void {
  const [{ test, error } = { test: '', error: '' }] = failures;
  print(`${result} ${file}: ${test}: ${error}`);
}

function exitIfInterrupted({ signal }: Outcome): void {
  if (signal !== undefined) process.exit(128 + constants.signals[signal]);
}

const unknownPath = PATHS.find(path => !existsSync(join(ROOT, path)));
if (unknownPath !== undefined) {
  print(`${unknownPath} does not exist.`);
  process.exit(1);
}
const durations = readDurations(ROOT);
const files = limitTime(chooseFiles(), durations);
if (files.length === 0) {
  print('There are no such tests.');
  process.exit(0);
}
const outcome = await runGroups(groupFiles(ROOT, files, durations), RUN);
exitIfInterrupted(outcome);
if (values.record === true) storeDurations(ROOT, { ...durations, ...Object.fromEntries(outcome.seconds) });
const isChance = outcome.hasPassed || (await retry(outcome));
const isPassing = values.all === true ? (await repeatFlakyFiles()) && outcome.hasPassed : isChance;
process.exit(isPassing ? 0 : 1);
