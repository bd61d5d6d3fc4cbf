// Limits the processor time of a thread or process. Unlike elapsed time, it does not depend on how busy the machine is.
import { readFile } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';

export interface TimeLimit extends Disposable {
  /** Aborts with a TimeoutError. */
  readonly signal: AbortSignal;
}

/** Returns the processor time used so far, in ms; undefined or rejected if it is not known. */
type ReadTime = () => Promise<number | undefined>;

/** Work that waits for a processor or for other work ends after this many times its limit of elapsed time. */
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
  const atStart = read();
  let isOver = false;
  const check = async (): Promise<void> => {
    const [start = 0, now] = [await atStart, await read()];
    const leftMs = now === undefined ? 0 : limitMs - (now - start);
    if (isOver) return;
    if (leftMs <= 0) abort();
    else timer = setTimeout(check, leftMs);
  };
  let timer = setTimeout(check, limitMs);
  const lastTimer = setTimeout(abort, limitMs * MAX_STRETCH);
  return {
    signal: limit.signal,
    [Symbol.dispose]: () => {
      isOver = true;
      clearTimeout(timer);
      clearTimeout(lastTimer);
    },
  };
}
