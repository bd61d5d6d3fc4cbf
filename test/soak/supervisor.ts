// Supervises a process: restarts it whenever it exits, as systemd would, and writes its log to a file.
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

export interface SupervisedProcess {
  readonly name: string;
  /** Undefined between two starts. */
  readonly pid: number | undefined;
  /** How often the process reported that it was ready. */
  readonly starts: number;
  signal(signal: NodeJS.Signals): void;
}

export interface Supervisor extends SupervisedProcess {
  /** Stops the process permanently. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface SupervisedCommand {
  readonly name: string;
  /** The command, which reports on stderr that it is ready, as `graphwright serve` does. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The folder of the logs. */
  readonly logs: string;
}

/** Restarts the process whenever it exits. Adds a message to `crashes` if it exits although nobody stopped it. */
export function superviseProcess(
  { name, command, env, logs }: SupervisedCommand,
  crashes: string[],
): Supervisor {
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
    // A process that was not ready yet may have found no PostgreSQL.
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
  // If the soak dies, its processes must not remain.
  const kill = (): void => signal('SIGKILL');
  process.on('exit', kill);
  const ended = keepRunning();
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
      const isEnded = await Promise.race([ended.then(() => true), sleep(STOP_MS, false, { ref: false })]);
      if (!isEnded) {
        crashes.push(`${name} did not stop within ${STOP_MS / 1000} s of ${sentSignal}`);
        signal('SIGKILL');
      }
      await ended;
      process.off('exit', kill);
    },
  };
}

/** Resolves once each process has been ready. */
export async function waitUntilReady(supervisors: readonly Supervisor[]): Promise<void> {
  const endMs = performance.now() + START_MS;
  while (supervisors.some(({ starts }) => starts === 0)) {
    if (performance.now() > endMs)
      throw new Error(
        `The processes did not start: ${supervisors.flatMap(({ name, starts }) => (starts === 0 ? [name] : []))}.`,
      );
    await sleep(POLL_MS);
  }
}
