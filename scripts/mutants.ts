// `npm run mutants` changes random places of `src`, one at a time, and shows which changes no test notices.
//
// It works in a copy of the work tree. For each mutant, it runs the tests that the file touches until one fails; see
// scripts/tests/touched-tests.ts. A test counts only if it passes without the mutation. Tests of browsers and nightly tests
// do not run, and the tests of a mutant may usually take `--budget` seconds, so a few survivors would fail a later test.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openDb } from '../src/store/db.ts';
import { chooseMutants, type Mutant } from './mutants/choose-mutants.ts';
import { mutate } from './mutants/mutations.ts';
import { planTests, type TestBatch } from './mutants/plan-tests.ts';
import { runTests, type TestOutcome } from './mutants/run-tests.ts';
import { createWorkCopy } from './mutants/work-copy.ts';
import { readDurations } from './tests/durations.ts';
import { getSeconds, isFast } from './tests/groups.ts';
import { readTestGraph } from './tests/touched-tests.ts';

const ROOT = join(import.meta.dirname, '..');

/** A mutant that runs longer counts as killed. The machine may be several times slower than usual. */
const MIN_TIMEOUT_MS = 60_000;
const TIMEOUT_PER_SECOND_MS = 6_000;

type Result = 'survived' | 'killed' | 'timed out';

interface Verdict {
  readonly mutant: Mutant;
  readonly result: Result;
  /** The test that failed. */
  readonly killedBy?: string | undefined;
  /** How many tests touch the file, and how many of them fit into the budget. */
  readonly touched: number;
  readonly planned: number;
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string', multiple: true, default: ['src'] },
    budget: { type: 'string', default: '60' },
    /** Mutates this commit instead of the work tree. */
    commit: { type: 'string' },
    /** Also writes the verdicts to this file. */
    json: { type: 'string' },
  },
});
const budget = Number(values.budget);
const folders = values.folder.map(folder => folder.replace(/\/$/, ''));
const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort()).once('SIGTERM', () => interruption.abort());

const copy = createWorkCopy(ROOT, values.commit);
try {
  // The caches of the copy are removed with it.
  process.env.NODE_COMPILE_CACHE = join(copy.folder, 'node_modules/.cache/tests');
  const { globalSetup, globalTeardown } = await import(
    pathToFileURL(join(copy.folder, 'test/support/global-setup.ts')).href
  );
  await globalSetup();
  try {
    await judgeAll();
  } finally {
    await globalTeardown();
  }
} finally {
  copy.remove();
}

async function judgeAll(): Promise<void> {
  const mutants = chooseMutants(copy.folder, {
    count: Number(values.count),
    seed: Number(values.seed),
    folders,
  });
  const graph = readTestGraph(copy.folder);
  const tests = createTests();
  const verdicts: Verdict[] = [];
  for (const mutant of mutants) {
    const { batches, touched } = planTests(graph, mutant.path, tests.getSeconds, budget);
    const start = Date.now();
    const outcome = await judge(mutant, batches, tests);
    if (interruption.signal.aborted) break;
    const planned = batches.reduce((sum, { files }) => sum + files.length, 0);
    const result = outcome === undefined ? 'survived' : outcome.result === 'failed' ? 'killed' : 'timed out';
    verdicts.push({ mutant, result, killedBy: outcome?.file, touched, planned });
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(verdicts, undefined, 2));
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    const by = outcome?.file === undefined ? '' : ` by ${outcome.file}`;
    process.stderr.write(
      `${verdicts.length}/${mutants.length} ${result} in ${seconds} s${by}: ${describe(mutant)}\n`,
    );
  }
  report(verdicts);
  if (tests.broken.size > 0)
    print(`Not used, because they fail without a mutation: ${[...tests.broken].join(', ')}`);
}

interface Tests {
  readonly getSeconds: (test: string) => number;
  /** Fail without a mutation. */
  readonly broken: Set<string>;
  /** Pass without a mutation. Tests are checked when they fail for the first time. */
  readonly sound: Set<string>;
}

function createTests(): Tests {
  const durations = readDurations(copy.folder);
  return {
    getSeconds: test => getSeconds(durations, test),
    broken: new Set(),
    sound: new Set(),
  };
}

/** Runs the tests until one notices the mutant. Returns undefined if none does. */
async function judge(
  mutant: Mutant,
  batches: readonly TestBatch[],
  tests: Tests,
): Promise<TestOutcome | undefined> {
  const path = join(copy.folder, mutant.path);
  const source = readFileSync(path, 'utf8');
  const mutated = mutate(source, mutant);
  if (mutated === undefined) return undefined;
  const run = async (files: readonly string[]): Promise<TestOutcome> => {
    writeFileSync(path, mutated);
    const outcome = await runFiles(files, tests);
    writeFileSync(path, source);
    return outcome;
  };
  // Tests that fail by chance, or only after other tests in their process, do not count.
  const ignored = new Set(tests.broken);
  for (const batch of batches) {
    for (;;) {
      const files = batch.files.filter(file => !ignored.has(file));
      if (files.length === 0 || interruption.signal.aborted) break;
      const outcome = await run(files);
      if (outcome.result === 'passed') break;
      const { file } = outcome;
      const isCertain = files.length === 1 && isFast(file);
      if ((await checkTest(file, tests)) && (isCertain || (await run([file])).result !== 'passed'))
        return outcome;
      ignored.add(file);
    }
  }
  return undefined;
}

/** Whether a test passes without a mutation. */
async function checkTest(file: string, tests: Tests): Promise<boolean> {
  if (!tests.sound.has(file) && !tests.broken.has(file)) {
    const { result } = await runFiles([file], tests);
    (result === 'passed' ? tests.sound : tests.broken).add(file);
  }
  return tests.sound.has(file);
}

async function runFiles(files: readonly string[], { getSeconds }: Tests): Promise<TestOutcome> {
  const seconds = files.reduce((sum, file) => sum + getSeconds(file), 0);
  const timeoutMs = MIN_TIMEOUT_MS + Math.ceil(seconds * TIMEOUT_PER_SECOND_MS);
  const outcome = await runTests(copy.folder, files, timeoutMs, interruption.signal);
  if (outcome.result !== 'passed') await dropDatabases();
  return outcome;
}

/** A process that was ended leaves its databases. */
async function dropDatabases(): Promise<void> {
  const { ADDRESS_VARIABLE } = await import('../test/support/postgres/address.ts');
  const connection = JSON.parse(process.env[ADDRESS_VARIABLE] ?? '{}');
  const db = openDb({ connection, maxConnections: 1, onError: err => process.emitWarning(err) });
  const { rows } = await db.query<{ datname: string }>(
    String.raw`select datname from pg_database where datname like 'test\_%'`,
  );
  for (const { datname } of rows) await db.query(`drop database if exists ${datname} with (force)`);
  await db.close();
}

function report(verdicts: readonly Verdict[]): void {
  const survivors = verdicts.filter(({ result }) => result === 'survived');
  for (const { mutant, touched, planned } of survivors) {
    const limit = planned < touched ? ` (${planned} of ${touched} tests ran within the budget)` : '';
    print(`${describe(mutant)}${limit}`);
  }
  const groups = [...Map.groupBy(verdicts, ({ mutant }) => mutant.path.split('/')[1] ?? '')].sort();
  const count = (rows: readonly Verdict[], result: string): number =>
    rows.filter(row => row.result === result).length;
  const columns = ['mutants', 'killed', 'timed out', 'survived'] as const;
  print(['', ...columns].map(pad).join(''));
  for (const [folder, rows] of [...groups, ['all', verdicts] as const])
    print([folder, rows.length, ...columns.slice(1).map(result => count(rows, result))].map(pad).join(''));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function pad(cell: string | number, column: number): string {
  return column === 0 ? String(cell).padEnd(12) : String(cell).padStart(11);
}

function describe({ path, line, before, after, start }: Mutant): string {
  const shorten = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 120);
  const text = readFileSync(join(copy.folder, path), 'utf8');
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  return `${path}:${line}  ${shorten(before)} → ${shorten(after) || '(nothing)'}  in: ${shorten(text.slice(lineStart, text.indexOf('\n', start)).trim())}`;
}
