// Supervises a process: restarts it whenever it exits, as systemd would, and writes its log to a file.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../support/processes.ts';
import { READY } from '../support/service.ts';

const RESTART_DELAY_MS = 300;
const START_TIMEOUT_MS = 120_000;
const POLL_MS = 20;
/** Much longer than the 10 s for which a service waits for active runs. */
const STOP_TIMEOUT_MS = 40_000;

export interface SupervisedProcess {
  readonly name: string;
  /** Undefined between two starts. */
  readonly pid: number | undefined;
  /** The number of processes so far that became ready. */
  readonly starts: number;
  signal(signal: NodeJS.Signals): void;
}

export interface Supervisor extends SupervisedProcess {
  /** Stops the process permanently. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface SupervisedCommand {
  readonly name: string;
  /** The program and its arguments. The program must report on stderr that it is ready, as `graphwright serve` does. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFolder: string;
}

/** Starts supervision. Adds a message to `crashes` whenever the process exits without a signal of the soak. */
export function superviseProcess(
  { name, command, env, logFolder }: SupervisedCommand,
  crashes: string[],
): Supervisor {
  const [program = '', ...args] = command;
  const state = { starts: 0, isStopping: false, isSignalled: false };
  let child: ChildProcess | undefined;
  const log = openSync(join(logFolder, `${name}.log`), 'a');
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
    // The exit of a process that was not ready yet is no crash: PostgreSQL may be down.
    if (isReady && !state.isSignalled) crashes.push(`${name} exited unexpectedly: ${stderr.slice(-2000)}`);
  };
  const keepRunning = async (): Promise<void> => {
    while (!state.isStopping) {
      await runOnce();
      if (!state.isStopping) await sleep(RESTART_DELAY_MS);
    }
  };
  const sendSignal = (signal: NodeJS.Signals): void => {
    if (child?.pid === undefined || !isRunning(child.pid)) return;
    if (signal === 'SIGKILL' || signal === 'SIGTERM') state.isSignalled = true;
    process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
  };
  // If the soak dies, its processes must not remain.
  const kill = (): void => sendSignal('SIGKILL');
  process.on('exit', kill);
  const supervision = keepRunning();
  return {
    name,
    get pid() {
      return child?.pid;
    },
    get starts() {
      return state.starts;
    },
    signal: sendSignal,
    stop: async stopSignal => {
      state.isStopping = true;
      sendSignal(stopSignal);
      const hasStopped = await Promise.race([
        supervision.then(() => true),
        sleep(STOP_TIMEOUT_MS, false, { ref: false }),
      ]);
      if (!hasStopped) {
        crashes.push(`${name} did not stop within ${STOP_TIMEOUT_MS / 1000} s of ${stopSignal}`);
        sendSignal('SIGKILL');
      }
      await supervision;
      process.off('exit', kill);
    },
  };
}

/** Waits until each process has been ready once. */
export async function waitUntilReady(supervisors: readonly Supervisor[]): Promise<void> {
  const endMs = performance.now() + START_TIMEOUT_MS;
  while (supervisors.some(({ starts }) => starts === 0)) {
    if (performance.now() > endMs)
      throw new Error(
        `The processes did not start: ${supervisors.flatMap(({ name, starts }) => (starts === 0 ? [name] : []))}.`,
      );
    await sleep(POLL_MS);
  }
}
