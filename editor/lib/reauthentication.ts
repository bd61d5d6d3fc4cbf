// Acts that need a fresh proof of who is here: all that were refused wait for one proof, then are sent again.
import { create } from 'zustand';

/** A way that the service accepts. */
export type ProofMethod = 'password' | 'openid';

interface Reauthentication {
  /** Settles all acts that wait; undefined: none does. */
  readonly settle: ((isProved: boolean) => void) | undefined;
  readonly methods: readonly ProofMethod[];
}

export const useReauthentication = create<Reauthentication>(() => ({ settle: undefined, methods: [] }));

let asking: Promise<boolean> | undefined;

/** Resolves to true once the session is proved, to false if the person cancels. */
export function askForProof(methods: readonly ProofMethod[], signal?: AbortSignal): Promise<boolean> {
  asking ??= new Promise<boolean>(resolve =>
    useReauthentication.setState({ settle: resolve, methods }),
  ).finally(() => {
    asking = undefined;
    useReauthentication.setState({ settle: undefined });
  });
  if (signal === undefined) return asking;
  return Promise.race([
    asking,
    new Promise<boolean>(resolve => signal.addEventListener('abort', () => resolve(false), { once: true })),
  ]);
}
