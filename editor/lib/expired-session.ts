// A session that ended under an open page: all requests that found out wait for one sign-in, then go on.
import { create } from 'zustand';

interface ExpiredSession {
  /** Settles all requests that wait; undefined: none does. */
  readonly settle: ((isSignedIn: boolean) => void) | undefined;
  /** Who was signed in on this page; undefined: nobody was, so that there is nothing to go on with. */
  readonly email: string | undefined;
}

export const useExpiredSession = create<ExpiredSession>(() => ({ settle: undefined, email: undefined }));

let asking: Promise<boolean> | undefined;

/** Resolves to true once somebody has signed in, to false where nobody was signed in before or nobody does now. */
export function askToSignIn(signal?: AbortSignal): Promise<boolean> {
  const { email } = useExpiredSession.getState();
  if (email === undefined) return Promise.resolve(false);
  asking ??= new Promise<boolean>(resolve => useExpiredSession.setState({ settle: resolve })).finally(() => {
    asking = undefined;
    useExpiredSession.setState({ settle: undefined });
  });
  if (signal === undefined) return asking;
  return Promise.race([
    asking,
    new Promise<boolean>(resolve => signal.addEventListener('abort', () => resolve(false), { once: true })),
  ]);
}

/** Called with who is signed in, and with undefined after a sign-out. */
export function rememberUser(email: string | undefined): void {
  useExpiredSession.setState({ email });
}
