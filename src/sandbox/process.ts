// Runs users' programs in a child process without permissions. Each program gets a new WebAssembly module, because a
// module that was interrupted cannot be used again.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { PRELUDE } from './prelude.ts';
import {
  MAX_LOG_LENGTH,
  MAX_MESSAGE_LENGTH,
  MAX_PROGRAM_BYTES,
  type Program,
  type ProgramError,
  type ProgramResult,
} from './program.ts';

const MAX_STACK_BYTES = 262_144;
/** A module that used more memory is freed immediately, instead of when the garbage collector happens to run. */
const LARGE_MODULE_BYTES = 16_777_216;

// The types of Node and of the variant do not match what exists at run time.
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: { compile(bytes: Uint8Array): Promise<WebAssembly.Module> };
};
const quickJsVariant = newVariant(variant as unknown as QuickJSSyncVariant, {
  wasmModule: await WebAssembly.compile(
    await readFile(fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))),
  ),
});

process.on('message', async ({ input }: { readonly input: Program }) => {
  process.send?.({ output: truncateMessage(await runProgram(input)) });
});
process.send?.('ready');

/** Cuts a text, not in the middle of an emoji. This process may read no file of another folder. */
const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');

/** Truncates the message of an error, because the program chooses the message. */
function truncateMessage(result: ProgramResult): ProgramResult {
  if (!('error' in result) || result.error.message.length <= MAX_MESSAGE_LENGTH) return result;
  const message = `${cut(result.error.message, MAX_MESSAGE_LENGTH - 1)}…`;
  return { ...result, error: { ...result.error, message } };
}

async function runProgram(program: Program): Promise<ProgramResult> {
  const strippedCode = stripTypes(program.code);
  if (typeof strippedCode !== 'string') return { log: '', error: strippedCode };
  const quickJs = await newQuickJSWASMModuleFromVariant(quickJsVariant);
  const log = createLog();
  try {
    const runtime = quickJs.newRuntime();
    runtime.setMemoryLimit(program.memoryMb * 1_048_576);
    runtime.setMaxStackSize(MAX_STACK_BYTES);
    const deadlineMs = Date.now() + program.timeoutMs;
    const isPastDeadline = (): boolean => Date.now() > deadlineMs;
    runtime.setInterruptHandler(isPastDeadline);
    const evaluation = evaluate(runtime.newContext(), { ...program, code: strippedCode }, log.write);
    // A program that was interrupted can fail in many ways, for example with a promise that never settles.
    const isTimeout =
      'error' in evaluation && evaluation.error.code !== 'program_out_of_memory' && isPastDeadline();
    if (!isTimeout) return { log: log.read(), ...evaluation };
    const message = `The program took more than ${program.timeoutMs} ms.`;
    return { log: log.read(), error: { ...evaluation.error, code: 'program_timeout', message } };
  } catch (err) {
    // For example, a value that is nested very deeply overflows the stack of this process.
    return { log: log.read(), error: { code: 'program_failed', message: String(err) } };
  } finally {
    if (quickJs.getWasmMemory().buffer.byteLength > LARGE_MODULE_BYTES) setImmediate(() => globalThis.gc?.());
  }
}

/** Returns JavaScript in which every token has the same position as in the TypeScript, or the syntax error. */
function stripTypes(code: string): string | ProgramError {
  try {
    return stripTypeScriptTypes(code);
  } catch (err) {
    // Any other error means that the parser ran out of stack. After that, it fails for every program.
    if (!(err instanceof SyntaxError)) process.exit(1);
    // Node puts the line, the code and a row of carets above the stack.
    const lines = String(err.stack).split('\n');
    const line = /^:(\d+)$/.exec(lines[0] ?? '')?.[1];
    const carets = lines.find(text => /^\s*\^+$/.test(text));
    return {
      code: 'invalid_program',
      message: `SyntaxError: ${err.message}`,
      ...(line === undefined ? {} : { line: Number(line) }),
      ...(carets === undefined ? {} : { column: carets.indexOf('^') + 1 }),
    };
  }
}

type Evaluation = { readonly output: string } | { readonly error: ProgramError };

function evaluate(vm: QuickJSContext, program: Program, write: (line: string) => void): Evaluation {
  const log = vm.newFunction('log', line => write(vm.getString(line)));
  const prelude = vm.unwrapResult(vm.evalCode(PRELUDE, 'prelude'));
  const tools = vm.unwrapResult(vm.callFunction(prelude, vm.undefined, vm.newNumber(toSeed(program)), log));
  const [invoke, runTimer] = [vm.getProp(tools, 0), vm.getProp(tools, 1)];
  const settle = (value: QuickJSHandle): SettledPromise => waitFor(vm, value, runTimer, program);

  const evaluated = vm.evalCode(program.code, FILE, { type: 'module' });
  if (evaluated.error) return { error: toProgramError(vm, evaluated.error, program) };
  const loaded = settle(evaluated.value);
  if ('error' in loaded) return loaded;
  const input = vm.newString(program.input);
  const called = vm.callFunction(invoke, vm.undefined, vm.getProp(loaded.value, 'default'), input);
  if (called.error) return { error: toProgramError(vm, called.error, program) };
  const returned = settle(called.value);
  if ('error' in returned) return returned;
  const output = vm.getString(returned.value);
  if (Buffer.byteLength(output) <= MAX_PROGRAM_BYTES) return { output };
  const message = `The program returned more than ${MAX_PROGRAM_BYTES} bytes of JSON.`;
  return { error: { code: 'program_output_too_large', message } };
}

type SettledPromise = { readonly value: QuickJSHandle } | { readonly error: ProgramError };

/** Runs jobs and timers until the promise settles. Returns an error if it cannot settle, because no timer remains. */
function waitFor(
  vm: QuickJSContext,
  promise: QuickJSHandle,
  runTimer: QuickJSHandle,
  program: Program,
): SettledPromise {
  for (;;) {
    const jobs = vm.runtime.executePendingJobs();
    if (jobs.error) return { error: toProgramError(vm, jobs.error, program) };
    const state = vm.getPromiseState(promise);
    if (state.type === 'fulfilled') return { value: state.value };
    if (state.type === 'rejected') return { error: toProgramError(vm, state.error, program) };
    const timer = vm.callFunction(runTimer, vm.undefined);
    if (timer.error) return { error: toProgramError(vm, timer.error, program) };
    if (!vm.sameValue(timer.value, vm.true))
      return {
        error: { code: 'program_failed', message: 'The program waits for a promise that never settles.' },
      };
  }
}

const FILE = 'program';
/** A position in the author's code, as it appears in stacks of QuickJS. */
const POSITION = /\bprogram:(\d+)(?::(\d+))?/;

function toProgramError(vm: QuickJSContext, handle: QuickJSHandle, { memoryMb }: Program): ProgramError {
  const error: unknown = vm.dump(handle);
  const { name, message, stack } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly name?: unknown;
    readonly message?: unknown;
    readonly stack?: unknown;
  };
  const [, line, column] = POSITION.exec(String(stack)) ?? [];
  const position = {
    ...(line === undefined ? {} : { line: Number(line) }),
    ...(column === undefined ? {} : { column: Number(column) }),
  };
  // When out of memory, QuickJS may be unable to create the error.
  if (error === null || (name === 'InternalError' && message === 'out of memory'))
    return {
      code: 'program_out_of_memory',
      message: `The program needs more than ${memoryMb} MB.`,
      ...position,
    };
  const code = name === 'SyntaxError' ? 'invalid_program' : 'program_failed';
  if (message === undefined) {
    const thrown = typeof error === 'bigint' ? String(error) : JSON.stringify(error);
    return { code, message: `The program threw ${thrown}.`, ...position };
  }
  return { code, message: `${name}: ${message}`, ...position };
}

function createLog(): { readonly write: (line: string) => void; readonly read: () => string } {
  let text = '';
  return {
    write: line => {
      if (text.length < MAX_LOG_LENGTH) text = cut(`${text}${line}\n`, MAX_LOG_LENGTH);
    },
    read: () => text,
  };
}

/** Returns the same number for the same program and input. */
function toSeed({ code, input }: Program): number {
  return createHash('sha256').update(code).update('\0').update(input).digest().readUInt32LE();
}
