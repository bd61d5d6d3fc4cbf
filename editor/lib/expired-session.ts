// Handles expired sessions: requests that fail wait for one sign-in, then continue.
import { create } from 'zustand';

interface ExpiredSession {
  /** Settles all waiting requests; undefined: none are waiting. */
  readonly settle: ((isSignedIn: boolean) => void) | undefined;
  /** The last signed-in user of this page; undefined: nobody was signed in. */
  readonly email: string | undefined;
}

export const useExpiredSession = create<ExpiredSession>(() => ({ settle: undefined, email: undefined }));

let asking: Promise<boolean> | undefined;

/** Resolves to true after a sign-in, and to false if nobody was signed in before or the sign-in is cancelled. */
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

/** Called with the signed-in user, and with undefined after a sign-out. */
export function rememberUser(email: string | undefined): void {
  useExpiredSession.setState({ email });
}
