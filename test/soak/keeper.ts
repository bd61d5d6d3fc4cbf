// Supervises a process: restarts it whenever it exits, as systemd would, and writes its log to a file of its name.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../support/processes.ts';
import { READY } from '../support/service.ts';

const RESTART_DELAY_MS = 300;
const START_MS = 120_000;
const POLL_MS = 20;
// Active runs have 10 s to end.
const STOP_MS = 40_000;

export interface KeptProcess {
  readonly name: string;
  /** undefined between two starts. */
  readonly pid: number | undefined;
  /** How often it reported ready. */
  readonly starts: number;
  signal(signal: NodeJS.Signals): void;
}

export interface Keeper extends KeptProcess {
  /** Stops it permanently. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface KeptCommand {
  readonly name: string;
  /** It reports ready on stderr, as `graphwright serve` does. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The folder of the logs. */
  readonly logs: string;
}

/** Restarts the process whenever it exits. `crashes` gets a message if nobody stopped it. */
export function keepProcess({ name, command, env, logs }: KeptCommand, crashes: string[]): Keeper {
  const [program = '', ...args] = command;
  const state = { starts: 0, isStopping: false, isSignalled: false };
  let child: ChildProcess | undefined;
  const log = openSync(join(logs, `${name}.log`), 'a');
  const runOnce = async (): Promise<void> => {
    const instance = spawn(program, args, {
      env,
      stdio: ['ignore', log, 'pipe'],
      detached: true,
    });
    child = instance;
    state.isSignalled = false;
    let stderr = '';
    let isReady = false;
    instance.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      writeSync(log, text);
      if (isReady || !READY.test(stderr)) return;
      isReady = true;
      state.starts++;
    });
    await once(instance, 'close');
    child = undefined;
    // If it was not ready yet, it may have found no PostgreSQL.
    if (isReady && !state.isSignalled) crashes.push(`${name} exited unexpectedly: ${stderr.slice(-2000)}`);
  };
  const keepRunning = async (): Promise<void> => {
    while (!state.isStopping) {
      await runOnce();
      if (!state.isStopping) await sleep(RESTART_DELAY_MS);
    }
  };
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid === undefined || !isRunning(child.pid)) return;
    if (name === 'SIGKILL' || name === 'SIGTERM') state.isSignalled = true;
    process.kill(name === 'SIGKILL' ? -child.pid : child.pid, name);
  };
  // When the soak dies, its processes must not remain.
  const endNow = (): void => signal('SIGKILL');
  process.on('exit', endNow);
  const kept = keepRunning();
  return {
    name,
    get pid() {
      return child?.pid;
    },
    get starts() {
      return state.starts;
    },
    signal,
    stop: async sentSignal => {
      state.isStopping = true;
      signal(sentSignal);
      const isEnded = await Promise.race([kept.then(() => true), sleep(STOP_MS, false, { ref: false })]);
      if (!isEnded) {
        crashes.push(`${name} did not stop within ${STOP_MS / 1000} s of ${sentSignal}`);
        signal('SIGKILL');
      }
      await kept;
      process.off('exit', endNow);
    },
  };
}

/** Resolves once each has been ready. */
export async function untilReady(keepers: readonly Keeper[]): Promise<void> {
  const endMs = performance.now() + START_MS;
  while (keepers.some(({ starts }) => starts === 0)) {
    if (performance.now() > endMs)
      throw new Error(
        `The processes did not start: ${keepers.flatMap(({ name, starts }) => (starts === 0 ? [name] : []))}.`,
      );
    await sleep(POLL_MS);
  }
}
