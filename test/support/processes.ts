// Starts an embedded PostgreSQL in a child process, checks whether a process runs, and waits for conditions.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedOptions } from '../../src/store/embedded/embedded.ts';
import type { TestAddress } from './postgres/address.ts';

/**
 * This is long, because a service that starts in two seconds takes more than thirty on a very busy machine, but less than
 * the time limit of a test.
 */
const WAIT_MS = 200_000;
/** The interval grows during a wait, because frequent polls for a long time would load the service. */
const MIN_POLL_MS = 10;
const MAX_POLL_MS = 100;

export interface ServiceEvent {
  readonly event: string;
  readonly postmaster: number;
  readonly connection: TestAddress;
}

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves to the next event with this name. Rejects with the child's stderr if the child exits before. */
  next(event: string): Promise<ServiceEvent>;
  /** Sends the signal and waits for the exit. SIGTERM stops the process gracefully. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Starts `postgres/embedded-service.ts` as the leader of its own process group. */
export function spawnEmbedded(
  options: Pick<EmbeddedOptions, 'dataDir' | 'address' | 'account'>,
  spawnOptions: SpawnOptions = {},
): ServiceProcess {
  const file = join(import.meta.dirname, 'postgres/embedded-service.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...spawnOptions,
  });
  const events: ServiceEvent[] = [];
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  if (child.stdout !== null)
    createInterface(child.stdout).on('line', line => events.push(JSON.parse(line) as ServiceEvent));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    child,
    pid: child.pid ?? 0,
    next: async name => {
      await waitUntil(`the event ${name}`, () => hasEnded() || events.some(({ event }) => event === name));
      const index = events.findIndex(({ event }) => event === name);
      const [event] = index < 0 ? [] : events.splice(index, 1);
      if (event === undefined) throw new Error(`The service ended before ${name}:\n${stderr}`);
      return event;
    },
    end: async signal => {
      child.kill(signal);
      await waitUntil('the end of the service', hasEnded);
    },
  };
}

/** Polls until the condition is true. Throws an error with the description `what` after the timeout. */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = WAIT_MS,
): Promise<void> {
  const startMs = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - startMs;
    if (waitedMs > withinMs) throw new Error(`Waited ${withinMs / 1000} s for ${what}.`);
    await sleep(Math.min(Math.max(MIN_POLL_MS, waitedMs / 10), MAX_POLL_MS));
  }
}

/** Ends the process with SIGTERM and waits for its end, unless it has already ended. */
export async function endProcess(child: ChildProcess): Promise<void> {
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Returns whether the process runs. A zombie, which has exited but whose parent was killed, does not run. */
export function isRunning(pid: number): boolean {
  if (process.platform === 'linux') {
    try {
      return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  }
  try {
    return process.kill(pid, 0);
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
}
