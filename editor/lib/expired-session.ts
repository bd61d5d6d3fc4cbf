// Prompts for a sign-in when the session has expired. All requests that failed meanwhile wait for the same prompt.
import { create } from 'zustand';

interface ExpiredSession {
  /** Settles all waiting requests. Undefined if none are waiting. */
  readonly settle: ((isSignedIn: boolean) => void) | undefined;
  /** The last user who was signed in on this page. */
  readonly email: string | undefined;
}

export const useExpiredSession = create<ExpiredSession>(() => ({ settle: undefined, email: undefined }));

let prompt: Promise<boolean> | undefined;

/**
 * Prompts for a sign-in. Resolves to true after a sign-in, and to false if the user cancels or nobody was signed in
 * before.
 */
export function requestSignIn(signal?: AbortSignal): Promise<boolean> {
  const { email } = useExpiredSession.getState();
  if (email === undefined) return Promise.resolve(false);
  prompt ??= new Promise<boolean>(resolve => useExpiredSession.setState({ settle: resolve })).finally(() => {
    prompt = undefined;
    useExpiredSession.setState({ settle: undefined });
  });
  if (signal === undefined) return prompt;
  return Promise.race([
    prompt,
    new Promise<boolean>(resolve => signal.addEventListener('abort', () => resolve(false), { once: true })),
  ]);
}

/** Stores the email of the signed-in user, or undefined after a sign-out. */
export function rememberUser(email: string | undefined): void {
  useExpiredSession.setState({ email });
}
