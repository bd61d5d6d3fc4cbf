// Runs users' programs in a small pool of processes without permissions, each program in a new QuickJS module. WebAssembly
// limits what a program can access, and the process limits the resources that a program can use.
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool, type PoolWorker, TaskTooCostlyError } from '../lib/threads/pool.ts';
import { startRestrictedProcess } from '../lib/threads/restricted-process.ts';
import type { Program, ProgramResult } from './program.ts';

/**
 * If QuickJS has not stopped a program this long after its time limit, its process is killed. A program must fail within
 * a second of its limit; the rest of the second is for timers that fire late on a busy machine.
 */
const GRACE_MS = 600;
/** The heap of a process holds the code, input and output of one program, but not the program's own memory. */
const MAX_HEAP_MB = 128;

const pool = createPool<Program, ProgramResult>({
  start: startProcess,
  size: 3,
  // A program with the default limit does not wait for programs that may take six times as long.
  reserved: { workers: 1, maxTimeoutMs: 5000 + GRACE_MS },
  timeoutMs: 30_000 + GRACE_MS,
  // A node that is mapped over a list starts the programs of all items at the same time.
  maxWaiting: 1000,
  maxTasks: 200,
});

export interface ProgramContext {
  readonly signal: AbortSignal;
}

/**
 * Runs the program once. A failure of the program is a result. Rejects with the signal's reason, or an AppError
 * `unavailable` if too many programs of the account wait.
 */
export async function runProgram(program: Program, { signal }: ProgramContext): Promise<ProgramResult> {
  try {
    return await pool.run(program, { signal, timeoutMs: program.timeoutMs + GRACE_MS });
  } catch (err) {
    if (!(err instanceof TaskTooCostlyError)) throw err;
    const message = `The program was stopped. It took more than ${program.timeoutMs} ms, or is nested too deeply.`;
    return { log: '', error: { code: 'program_timeout', message } };
  }
}

/** The packages that the process loads. */
const PACKAGES = [
  'quickjs-emscripten-core',
  '@jitl/quickjs-wasmfile-release-sync',
  '@jitl/quickjs-ffi-types',
];

function startProcess(): PoolWorker {
  const folder = import.meta.dirname;
  return startRestrictedProcess({
    program: join(folder, `process${extname(import.meta.filename)}`),
    nodeOptions: [`--max-old-space-size=${MAX_HEAP_MB}`, '--expose-gc'],
    readablePaths: [folder, ...PACKAGES.map(name => findPackageFolder(name))],
    createStartError: code => new Error(`A process for programs ended at its start (${code}).`),
  }).worker;
}

/** Returns the folder of a package whose modules are in its folder `dist`. */
function findPackageFolder(name: string): string {
  return join(dirname(fileURLToPath(import.meta.resolve(name))), '..');
}
