// Creates timeout signals that can be canceled. A signal of `AbortSignal.timeout` keeps its listeners alive until the
// signal fires.

export interface Deadline extends Disposable {
  /** Aborts when the time is up, or when the outer signal aborts. */
  readonly signal: AbortSignal;
  /** Whether the time is up. */
  readonly isPast: boolean;
}

/** Starts a deadline, which does not keep the process alive. */
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
