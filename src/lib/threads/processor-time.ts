// Limits the processor time of a thread or process. Unlike elapsed time, it does not depend on how busy the machine is.
import { readFile } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';

export interface TimeLimit extends Disposable {
  /** Aborts with a TimeoutError. */
  readonly signal: AbortSignal;
}

/** Resolves to the processor time used so far, in ms. Resolves to undefined, or rejects, if the time is not known. */
type ReadTime = () => Promise<number | undefined>;

/** Work that mostly waits is aborted when its elapsed time reaches this many times the limit of processor time. */
const MAX_STRETCH = 5;
/** The unit in which Linux reports processor time. */
const TICK_MS = 10;

/** Returns 0 for a thread that is not running yet, which can take seconds on a busy machine. */
export async function readThreadTime(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ERR_WORKER_NOT_RUNNING') return 0;
    throw err;
  }
}

/** Reads the processor time of a process, which only Linux provides. */
export async function readProcessTime(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1');
  // The name of the program, in parentheses, may contain spaces.
  const [user, system] = text.slice(text.lastIndexOf(')')).split(' ').slice(12);
  return (Number(user) + Number(system)) * TICK_MS;
}

/** Starts the limit. If the processor time is not available, limits the elapsed time. */
export function limitProcessorTime(readTime: ReadTime, limitMs: number): TimeLimit {
  const limit = new AbortController();
  const abort = (): void =>
    limit.abort(new DOMException(`The work took more than ${limitMs / 1000} s.`, 'TimeoutError'));
  const read = (): Promise<number | undefined> => readTime().catch(() => undefined);
  const firstReading = read();
  let isDisposed = false;
  const check = async (): Promise<void> => {
    const [startMs = 0, nowMs] = [await firstReading, await read()];
    const remainingMs = nowMs === undefined ? 0 : limitMs - (nowMs - startMs);
    if (isDisposed) return;
    if (remainingMs <= 0) abort();
    else timer = setTimeout(check, remainingMs);
  };
  let timer = setTimeout(check, limitMs);
  const lastTimer = setTimeout(abort, limitMs * MAX_STRETCH);
  return {
    signal: limit.signal,
    [Symbol.dispose]: () => {
      isDisposed = true;
      clearTimeout(timer);
      clearTimeout(lastTimer);
    },
  };
}
