// A bound in time that can be put away once it is not needed. `AbortSignal.timeout` cannot: it keeps whatever listened to it
// until its time has come, and fires then all the same.

export interface Deadline extends Disposable {
  /** Aborts when the time is up, and with the signal that was given. */
  readonly signal: AbortSignal;
  /** Whether the time is up. */
  readonly isPast: boolean;
}

/** It keeps no process alive. */
export function startDeadline(ms: number, outer?: AbortSignal): Deadline {
  const time = new AbortController();
  const timer = setTimeout(
    () => time.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    ms,
  ).unref();
  return {
    signal: outer === undefined ? time.signal : AbortSignal.any([outer, time.signal]),
    get isPast() {
      return time.signal.aborted;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
