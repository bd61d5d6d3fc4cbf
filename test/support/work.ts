// Runs code as the work of an account.
import { workFor } from '../../src/lib/work.ts';

const { signal } = new AbortController();

/** Calls the function for the account, as a request would whose caller waits. */
export const workAs = <T>(account: string, call: () => T): T =>
  workFor({ account, signal, isAccepted: false }, call);
