// The command line for tests: as a process, or called in this one, which costs a tenth of it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { listSettings } from '../../src/lib/settings.ts';
import { BIN, cleanEnv } from './service.ts';

/** How a command ended and what it wrote. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command to its end with these settings and no others; resolves also where it fails. */
export type RunCommand = (args: readonly string[], settings?: NodeJS.ProcessEnv) => Promise<Ended>;

export interface ProcessOptions {
  readonly uid?: number;
  readonly cwd?: string;
  /** Before the program. */
  readonly nodeArgs?: readonly string[];
}

const TIMEOUT_MS = 60_000;
/** For a command that was called here to end by its signal. */
const GRACE_MS = 15_000;

/** As a process: shows besides that the process ends. `settings` may have variables of Node's too. */
export function spawnCommand(
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  { nodeArgs = [], ...options }: ProcessOptions = {},
): Promise<Ended> {
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      [...nodeArgs, BIN, ...args],
      { env: { ...cleanEnv(), ...settings }, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', ...options },
      (_err, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

const spawned = new Set<string | undefined>();

/** Each command, by its first word, once as a process and from then on called, in all files of a batch. */
export const spawnFirst: RunCommand = (args, settings) => {
  const run = spawned.has(args[0]) ? callCommand : spawnCommand;
  spawned.add(args[0]);
  return run(args, settings);
};

let last: Promise<unknown> = Promise.resolve();

/** In this process, one after the other: each has the environment to itself. */
export function callCommand(args: readonly string[], settings: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const ended = last.then(() => callAlone(args, settings));
  last = ended.catch(() => undefined);
  return ended;
}

async function callAlone(args: readonly string[], settings: NodeJS.ProcessEnv): Promise<Ended> {
  const written = { out: '', err: '' };
  const terminal: Terminal = {
    isLive: false,
    width: 80,
    print: line => {
      written.out += `${line}\n`;
    },
    note: line => {
      written.err += `${line}\n`;
    },
    paint: (_, text) => text,
    draw: () => undefined,
    erase: () => undefined,
  };
  const giveBack = replaceSettings(settings);
  try {
    const code = await Promise.race([
      runCommandLine(args, { terminal, signal: AbortSignal.timeout(TIMEOUT_MS) }),
      once(AbortSignal.timeout(TIMEOUT_MS + GRACE_MS), 'abort').then(() =>
        assert.fail(`graphwright ${args.join(' ')} has not ended:\n${written.out}${written.err}`),
      ),
    ]);
    return { code, ...written };
  } finally {
    giveBack();
  }
}

/** Sets all settings of this process's environment; the function that it returns puts the earlier ones back. */
function replaceSettings(settings: NodeJS.ProcessEnv): () => void {
  const names = listSettings().map(({ name }) => name);
  assert.deepEqual(
    Object.keys(settings).filter(name => !names.includes(name)),
    [],
    'settings alone',
  );
  const set = (values: NodeJS.ProcessEnv): void => {
    for (const name of names) {
      const value = values[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  const earlier = { ...process.env };
  set(settings);
  return () => set(earlier);
}

/** What the command printed as JSON. Throws what it wrote where it failed: `{ code, stderr }`, for `assert.rejects`. */
export function readJson<T>({ code, out, err }: Ended): T {
  requireSuccess({ code, out, err });
  return JSON.parse(out) as T;
}

/** What the command printed. Throws as `readJson` does. */
export function requireSuccess({ code, out, err }: Ended): string {
  if (code !== 0) throw Object.assign(new Error(err), { code, stdout: out, stderr: err });
  return out;
}
