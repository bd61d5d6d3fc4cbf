// Runs test files in one process until the first failure, and removes everything that the process leaves.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface TestOutcome {
  readonly result: 'passed' | 'failed' | 'timed out';
  /** The file whose tests ran at the end. */
  readonly file: string;
}

/** Marks the environment of all processes that a test starts. */
const MARK = 'GRAPHWRIGHT_MUTANTS';
/** A mutant may fill the memory. */
const MAX_HEAP_MB = 1_500;

/** Runs files of the tree in `folder`. Their paths are relative to it. An abort of the signal counts as a time out. */
export async function runTests(
  folder: string,
  files: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<TestOutcome> {
  const temporary = mkdtempSync(join(tmpdir(), 'graphwright-mutant-'));
  const mark = `${process.pid}-${Date.now()}`;
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${MAX_HEAP_MB}`, '--test-reporter=tap', writeProgram(temporary, folder, files)],
    {
      cwd: folder,
      // In its own process group, so that its children can be ended with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, TMPDIR: temporary, [MARK]: mark },
    },
  );
  const outcome = await new Promise<TestOutcome>(resolve => {
    const reader = createTapReader(files[0] ?? '');
    const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    stop.addEventListener('abort', () => resolve({ result: 'timed out', file: reader.getFile() }));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (reader.hasFailure(text)) resolve({ result: 'failed', file: reader.getFile() });
    });
    child.once('exit', code => resolve({ result: code === 0 ? 'passed' : 'failed', file: reader.getFile() }));
  });
  endProcesses(child.pid, mark);
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  return outcome;
}

/** Writes the main module of the process, as scripts/tests/run-groups.ts does. */
function writeProgram(temporary: string, folder: string, files: readonly string[]): string {
  const program = join(temporary, 'mutant.mjs');
  const runBatch = pathToFileURL(join(folder, 'test/support/run-batch.ts'));
  const callArguments = [files, join(temporary, 'running')].map(value => JSON.stringify(value)).join(', ');
  writeFileSync(program, `import { runBatch } from '${runBatch}';\nawait runBatch(${callArguments});\n`);
  return program;
}

/** Finds the first failure in the output of the TAP reporter, and the file that ran at the time. */
function createTapReader(firstFile: string): {
  hasFailure(text: string): boolean;
  getFile(): string;
} {
  let rest = '';
  let file = firstFile;
  return {
    getFile: () => file,
    hasFailure: text => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        file = /^# Subtest: (?<name>test\/\S+)$/.exec(line)?.groups?.name ?? file;
        if (/^\s*not ok \d+ (?!.*# (?:TODO|SKIP))/.test(line)) return true;
      }
      return false;
    },
  };
}

/** Ends the processes of a group, and those with the mark in their environment, which may have left the group. */
function endProcesses(group: number | undefined, mark: string): void {
  if (group !== undefined) endProcess(-group);
  for (const pid of listMarked(mark)) endProcess(pid);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Only Linux shows the environment of processes. */
function listMarked(mark: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter(
      pid => Number.isInteger(pid) && pid !== process.pid && readEnvironment(pid).includes(`${MARK}=${mark}`),
    );
}

function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
