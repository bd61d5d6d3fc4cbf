// Says for whom the code that runs now works: the account, and the signal that ends the work. Limiters, pools and turns of
// the event loop read it, so that no function passes it on.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Where a request came from. */
export interface Origin {
  readonly address: string;
  readonly requestId: string;
}

export interface Work {
  /** Accounts share turns, and places in limiters and pools. Visitors are accounts by their network address. */
  readonly account: string;
  /** Fires when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Whether the service has promised the result, as for jobs. Limiters let such work wait instead of rejecting it. */
  readonly isAccepted: boolean;
  /** Undefined if no request caused the work. */
  readonly origin?: Origin | undefined;
}

/** The account of the service itself. */
export const SERVICE = '';

const NEVER_ABORTED = new AbortController().signal;
const OWN_WORK: Work = { account: SERVICE, signal: NEVER_ABORTED, isAccepted: false };

const storage = new AsyncLocalStorage<Work>();

export const getWork = (): Work => storage.getStore() ?? OWN_WORK;

/** Calls the function. All that it calls, at any depth, also later, works for this account. */
export function workFor<T>(work: Work, call: () => T): T {
  return storage.run(work, call);
}

/** Calls a function whose result the service has promised to the account, whether or not a caller still waits for it. */
export function runAccepted<T>(account: string, call: () => T): T {
  return storage.run({ account, signal: NEVER_ABORTED, isAccepted: true, origin: getWork().origin }, call);
}
