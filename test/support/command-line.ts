// Runs commands for tests, as a process or in this process. A call in this process takes a tenth of the time.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { listSettings } from '../../src/lib/settings.ts';
import { BIN, cleanEnv } from './service.ts';
import { isNightly } from './tier.ts';

/** How a command exited and what it printed. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command with exactly these settings. Resolves even if the command fails. */
export type RunCommand = (args: readonly string[], settings?: NodeJS.ProcessEnv) => Promise<CommandResult>;

export interface ProcessOptions {
  readonly uid?: number;
  readonly cwd?: string;
  /** Arguments before the program. */
  readonly nodeArgs?: readonly string[];
  /** The standard input. If undefined, the input stays open and empty. */
  readonly input?: string;
}

const TIMEOUT_MS = 60_000;
/** The additional time in which a command in this process must end after the timeout. */
const GRACE_MS = 15_000;

/**
 * Runs the command as a process, which also proves that the process exits. `settings` may include Node's own variables.
 */
export function spawnCommand(
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  { nodeArgs = [], input, ...options }: ProcessOptions = {},
): Promise<CommandResult> {
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      [...nodeArgs, BIN, ...args],
      { env: { ...cleanEnv(), ...settings }, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', ...options },
      (_err, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    );
    if (input !== undefined) child.stdin?.end(input);
  });
}

const spawnedCommands = new Set<string | undefined>();

/**
 * By day, runs all commands in this process; the tests that need a process call `spawnCommand`. At night, runs the first call
 * of each command in a batch of test files as a process.
 */
export const spawnFirst: RunCommand = (args, settings) => {
  const run = !isNightly || spawnedCommands.has(args[0]) ? callCommand : spawnCommand;
  spawnedCommands.add(args[0]);
  return run(args, settings);
};

let lastCall: Promise<unknown> = Promise.resolve();

/** Runs a command in this process, after earlier commands have ended, because each command replaces the environment. */
export function callCommand(
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
  const result = lastCall.then(() => callNow(args, settings));
  lastCall = result.catch(() => undefined);
  return result;
}

async function callNow(args: readonly string[], settings: NodeJS.ProcessEnv): Promise<CommandResult> {
  const output = { out: '', err: '' };
  const terminal: Terminal = {
    isLive: false,
    width: 80,
    print: line => {
      output.out += `${line}\n`;
    },
    note: line => {
      output.err += `${line}\n`;
    },
    paint: (_, text) => text,
    draw: () => undefined,
    erase: () => undefined,
  };
  const restoreSettings = replaceSettings(settings);
  try {
    const code = await Promise.race([
      runCommandLine(args, { terminal, signal: AbortSignal.timeout(TIMEOUT_MS) }),
      once(AbortSignal.timeout(TIMEOUT_MS + GRACE_MS), 'abort').then(() =>
        assert.fail(`graphwright ${args.join(' ')} has not ended:\n${output.out}${output.err}`),
      ),
    ]);
    return { code, ...output };
  } finally {
    restoreSettings();
  }
}

/** Replaces all settings in this process's environment and returns a function that restores the previous ones. */
function replaceSettings(settings: NodeJS.ProcessEnv): () => void {
  const names = listSettings().map(({ name }) => name);
  assert.deepEqual(
    Object.keys(settings).filter(name => !names.includes(name)),
    [],
    'only settings can be set for a command in this process',
  );
  const set = (values: NodeJS.ProcessEnv): void => {
    for (const name of names) {
      const value = values[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  const previousEnv = { ...process.env };
  set(settings);
  return () => set(previousEnv);
}

/** Parses the output of the command as JSON. If the command failed, throws `{ code, stderr }`, for `assert.rejects`. */
export function readJson<T>({ code, out, err }: CommandResult): T {
  requireSuccess({ code, out, err });
  return JSON.parse(out) as T;
}

/** Returns the output of the command. Throws like `readJson` if the command failed. */
export function requireSuccess({ code, out, err }: CommandResult): string {
  if (code !== 0) throw Object.assign(new Error(err), { code, stdout: out, stderr: err });
  return out;
}
