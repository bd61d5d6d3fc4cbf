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
//   --record         stores the durations of the files in test/durations.json, by which they are grouped
//   --root=FOLDER    runs the tests of another folder
import { globSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { listChangedFiles } from './tests/changed-files.ts';
import { addToFlakyList, readFlakyList } from './tests/flaky-list.ts';
import { type Durations, groupFiles, isFast, isNightly, readDurations } from './tests/groups.ts';
import type { Failure } from './tests/reporter.ts';
import { type Outcome, type RunOptions, runGroups } from './tests/run-groups.ts';
import { listTouchedTests } from './tests/touched-tests.ts';

/** More failures have a cause, such as a broken service. */
const MAX_RETRIES = 20;
const REPETITIONS = 20;
const BUSY_THREADS = 2;

const OPTIONS = ['--fast', '--all', '--changed', '--nightly-only', '--record'];
const has = (option: string): boolean => process.argv.includes(option);
const further = process.argv.slice(2).filter(argument => !OPTIONS.includes(argument));
const paths = further.filter(argument => !argument.startsWith('-')).map(path => path.replace(/\/$/, ''));
const root = further.find(argument => argument.startsWith('--root='))?.slice('--root='.length);
const ROOT = root ?? join(import.meta.dirname, '..');
const options: RunOptions = {
  root: ROOT,
  // Many slow tests wait for a clock or a process, so five concurrent processes keep two cores busy.
  concurrency: has('--fast') ? 2 : 5,
  env: has('--all') ? { NIGHTLY: '1' } : {},
  nodeArguments: further.filter(argument => argument.startsWith('-') && !argument.startsWith('--root=')),
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function chooseFiles(): readonly string[] {
  const files = globSync('test/**/*.test.{ts,tsx}', { cwd: ROOT, exclude: ['**/node_modules/**'] }).sort();
  const touched = has('--changed') ? new Set(listTouchedTests(listChangedFiles(ROOT))) : undefined;
  const isOfTier = (file: string): boolean => {
    if (has('--fast')) return isFast(file);
    if (has('--nightly-only')) return isNightly(file);
    return has('--all') || has('--changed') || !isNightly(file);
  };
  const isBelow = (file: string): boolean =>
    paths.length === 0 || paths.some(path => file.startsWith(`${path}/`));
  return files.filter(
    file =>
      paths.includes(file) ||
      (isOfTier(file) && isBelow(file) && (touched === undefined || touched.has(file))),
  );
}

/**
 * Runs the failed files again, one after the other, and returns whether the failures were chance. Also runs the files that a
 * crash has prevented.
 */
async function retry(first: Outcome): Promise<boolean> {
  const files = [...first.failures.keys()];
  if (files.length + first.unended.length === 0 || files.length > MAX_RETRIES) return false;
  print(`\nRunning once more, alone: ${files.join(' ')}`);
  const groups = [...files.map(file => [file]), ...first.unended];
  const second = await runGroups(groups, { ...options, concurrency: 1 });
  exitIfInterrupted(second);
  const flakyFiles = files.filter(file => !second.failures.has(file));
  for (const file of flakyFiles) printFailure('FLAKY', file, first.failures.get(file));
  for (const [file, failures] of second.failures) printFailure('FAILED', file, failures);
  if (flakyFiles.length > 0) addToFlakyList(ROOT, flakyFiles);
  return second.exitCode === 0;
}

/** Repeats the tests of the list on a busy machine. */
async function repeatFlakyFiles(): Promise<boolean> {
  const files = readFlakyList(ROOT);
  if (files.length === 0) return true;
  print(`\nEach file in test/flaky.txt runs ${REPETITIONS} times: ${files.join(' ')}`);
  const busyThreads = Array.from({ length: BUSY_THREADS }, () => new Worker('for (;;);', { eval: true }));
  const outcome = await runGroups(
    files.flatMap(file => Array.from({ length: REPETITIONS }, () => [file])),
    { ...options, concurrency: 2, env: { ...options.env, SLOWDOWN: '4' } },
  );
  for (const thread of busyThreads) await thread.terminate();
  exitIfInterrupted(outcome);
  for (const [file, failures] of outcome.failures) printFailure('FAILED', file, failures);
  return outcome.exitCode === 0;
}

function printFailure(result: string, file: string, failures: readonly Failure[] = []): void {
  const [{ test, error } = { test: '', error: '' }] = failures;
  print(`${result} ${file}: ${test}: ${error}`);
}

function exitIfInterrupted({ signal }: Outcome): void {
  if (signal !== undefined) process.exit(128 + constants.signals[signal]);
}

/** Rounds the seconds, so that few lines change. */
function storeDurations(durations: Durations, { seconds }: Outcome): void {
  const all = new Map([...Object.entries(durations), ...seconds]);
  const rows = [...all]
    .map(([file, value]) => [file, Number(value.toPrecision(2))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(join(ROOT, 'test/durations.json'), `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}

const files = chooseFiles();
if (files.length === 0) {
  print('There are no such tests.');
  process.exit(has('--changed') ? 0 : 1);
}
const durations = readDurations(ROOT);
const outcome = await runGroups(groupFiles(ROOT, files, durations), options);
exitIfInterrupted(outcome);
if (has('--record')) storeDurations(durations, outcome);
const hasPassed = outcome.exitCode === 0;
const isChance = hasPassed || (await retry(outcome));
const isPassing = has('--all') ? (await repeatFlakyFiles()) && hasPassed : isChance;
process.exit(isPassing ? 0 : 1);
