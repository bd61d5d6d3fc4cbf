// Runs groups of test files with `node --test`, each group in a process, and returns the result of each file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Failure, type FileResult, INTERRUPTED } from './reporter.ts';

const SUPPORT = join(import.meta.dirname, '../../test/support');
const REPORTER = join(import.meta.dirname, 'reporter.ts');

export interface RunOptions {
  readonly root: string;
  readonly concurrency: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Further arguments of Node. */
  readonly nodeArguments?: readonly string[];
}

export interface Outcome {
  readonly hasPassed: boolean;
  /** Seconds of each file that passed. */
  readonly seconds: ReadonlyMap<string, number>;
  /** The failures of each file that failed or crashed. */
  readonly failures: ReadonlyMap<string, readonly Failure[]>;
  /** The other files of each process that crashed, without those that ended before. */
  readonly unended: readonly (readonly string[])[];
  /** The signal that ended the run. */
  readonly signal: NodeJS.Signals | undefined;
}

/** Starts the groups in this order. */
export async function runGroups(
  groups: readonly (readonly string[])[],
  { root, concurrency, env = {}, nodeArguments = [] }: RunOptions,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'graphwright-tests-'));
  try {
    const results = join(folder, 'results.jsonl');
    const batches = groups.map((files, index) => writeBatch(folder, index, files));
    const has = (option: string): boolean =>
      nodeArguments.some(argument => argument.startsWith(`${option}=`));
    const { exitCode, signal } = await runNode(root, env, [
      '--test',
      `--test-global-setup=${join(SUPPORT, 'global-setup.ts')}`,
      `--test-concurrency=${concurrency}`,
      '--test-timeout=240000',
      ...nodeArguments,
      ...(has('--test-reporter') ? [] : ['--test-reporter=spec']),
      ...(has('--test-reporter-destination') ? [] : ['--test-reporter-destination=stdout']),
      `--test-reporter=${pathToFileURL(REPORTER)}`,
      `--test-reporter-destination=${results}`,
      ...batches.map(({ path }) => path),
    ]);
    const lines = readIfExists(results).split('\n');
    const collected = collect(
      batches,
      lines.filter(line => line !== '' && line !== INTERRUPTED),
    );
    // A test can end its process with exit code 0.
    const hasPassed = exitCode === 0 && collected.failures.size + collected.unended.length === 0;
    // On a busy machine, this process can receive the signal after Node has exited because of it.
    const isInterrupted = lines.includes(INTERRUPTED);
    return { hasPassed, signal: signal ?? (isInterrupted ? 'SIGINT' : undefined), ...collected };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Batch {
  /** The main module of the process. */
  readonly path: string;
  readonly files: readonly string[];
}

/** What `runBatch` writes into the file below when all tests of the process have ended. */
const ENDED = 'ended';
/** The file that contains the test file whose tests run. */
const progressOf = (path: string): string => `${path}.running`;

/**
 * Names the main module by its index, because the runner sorts by name, and by its first file. It is JavaScript, because each
 * new module in TypeScript would make its process load a compiler.
 */
function writeBatch(folder: string, index: number, files: readonly string[]): Batch {
  const name = (files[0] ?? '').replace(/^test\//, '').replace(/\.test\.tsx?$/, '');
  const path = join(folder, `${String(index).padStart(3, '0')}-${name.replaceAll('/', '-')}.mjs`);
  const runBatch = pathToFileURL(join(SUPPORT, 'run-batch.ts'));
  const callArguments = [files, progressOf(path)].map(value => JSON.stringify(value)).join(', ');
  writeFileSync(path, `import { runBatch } from '${runBatch}';\nawait runBatch(${callArguments});\n`);
  return { path, files };
}

const readIfExists = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

async function runNode(
  root: string,
  env: NodeJS.ProcessEnv,
  nodeArguments: readonly string[],
): Promise<{ readonly exitCode: number; readonly signal: NodeJS.Signals | undefined }> {
  // A run inside of a test is not part of it.
  const { NODE_TEST_CONTEXT, ...ownEnv } = process.env;
  const child = spawn(process.execPath, nodeArguments, {
    cwd: root,
    env: { ...ownEnv, ...env },
    stdio: 'inherit',
  });
  let signal: NodeJS.Signals | undefined;
  // The terminal sends SIGINT to both processes, and Node then stops PostgreSQL and exits.
  const onInterrupt = (): void => {
    signal = 'SIGINT';
  };
  const onTerminate = (): void => {
    signal = 'SIGTERM';
    child.kill();
  };
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
  const [exitCode, childSignal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate);
  return { exitCode: exitCode ?? 1, signal: signal ?? childSignal ?? undefined };
}

/** Describes the crash of a process, as a failure of the file whose tests were running. */
function createCrash(path: string, results: readonly FileResult[]): Failure {
  const [exit] = results.findLast(({ name }) => name === path)?.failures ?? [];
  return { test: 'its process', error: `It crashed or took too long: ${exit?.error ?? 'without a result'}.` };
}

function collect(
  batches: readonly Batch[],
  lines: readonly string[],
): Pick<Outcome, 'seconds' | 'failures' | 'unended'> {
  const results = lines.map(line => JSON.parse(line) as FileResult);
  const byName = Map.groupBy(results, ({ name }) => name);
  // A file that is repeated is in several batches.
  const counts = Map.groupBy(
    batches.flatMap(({ files }) => files),
    file => file,
  );
  const ofProcesses = collectOfProcesses(batches, results);
  const seconds = new Map<string, number>();
  const failures = new Map<string, readonly Failure[]>();
  const unended: (readonly string[])[] = [];
  // Without any result, the run did not start.
  for (const { path, files } of results.length === 0 ? [] : batches) {
    const progress = readIfExists(progressOf(path));
    const hasResult = (file: string): boolean => byName.get(file)?.length === counts.get(file)?.length;
    // A process that ended has no results of files without tests that match --test-name-pattern.
    const rest = progress === ENDED ? [] : files.filter(file => !hasResult(file));
    const crashed = rest.length === 1 ? rest[0] : rest.find(file => file === progress);
    const others = rest.filter(file => file !== crashed);
    if (others.length > 0) unended.push(others);
    const ofProcess = rest.length === 0 ? (ofProcesses.get(path) ?? []) : [];
    for (const file of files) {
      const ofFile = byName.get(file)?.flatMap(result => result.failures) ?? [];
      const all = [...ofFile, ...ofProcess, ...(file === crashed ? [createCrash(path, results)] : [])];
      const [first] = byName.get(file) ?? [];
      if (all.length > 0) failures.set(file, all);
      else if (first !== undefined) seconds.set(file, first.seconds);
    }
  }
  return { seconds, failures, unended };
}

/**
 * Returns the failures outside of all files, by batch: what the files share could not be closed, for example. Node names
 * them after other modules, but reports the processes one after the other.
 */
function collectOfProcesses(
  batches: readonly Batch[],
  results: readonly FileResult[],
): ReadonlyMap<string, readonly Failure[]> {
  const ofProcesses = new Map<string, Failure[]>();
  let path: string | undefined;
  for (const { name, failures } of results) {
    const batch = batches.find(({ files }) => files.includes(name));
    path = batch?.path ?? path;
    if (batch === undefined && path !== undefined)
      ofProcesses.set(path, [...(ofProcesses.get(path) ?? []), ...failures]);
  }
  return ofProcesses;
}
