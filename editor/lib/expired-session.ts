// Prompts for a sign-in when the session has expired.
import { create } from 'zustand';
import { createPrompt, type FailedRequest } from './prompt.ts';

interface ExpiredSession {
  /** Settles all waiting requests. Undefined if none are waiting. */
  readonly settle: ((isSignedIn: boolean) => void) | undefined;
  /** The last user who was signed in on this page. */
  readonly email: string | undefined;
}

export const useExpiredSession = create<ExpiredSession>(() => ({ settle: undefined, email: undefined }));

const prompt = createPrompt(settle => useExpiredSession.setState({ settle }));

/**
 * Prompts for a sign-in. Resolves to true after a sign-in, and to false if the user cancels or nobody was signed in
 * before.
 */
export function requestSignIn(request: FailedRequest): Promise<boolean> {
  const { email } = useExpiredSession.getState();
  return email === undefined ? Promise.resolve(false) : prompt(request);
}

/** Stores the email of the signed-in user, or undefined after a sign-out. */
export function rememberUser(email: string | undefined): void {
  useExpiredSession.setState({ email });
}
