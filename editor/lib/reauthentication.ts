// Prompts users to confirm their identity before sensitive changes.
import { create } from 'zustand';
import { createPrompt, type FailedRequest } from './prompt.ts';

/** How the user can confirm. The service sends the accepted methods. */
export type ReauthenticationMethod = 'passkey' | 'totp' | 'recovery_code' | 'password' | 'openid';

interface Reauthentication {
  /** Settles all waiting requests. Undefined if none are waiting. */
  readonly settle: ((isConfirmed: boolean) => void) | undefined;
  readonly methods: readonly ReauthenticationMethod[];
}

export const useReauthentication = create<Reauthentication>(() => ({ settle: undefined, methods: [] }));

const prompt = createPrompt(settle => useReauthentication.setState({ settle }));

/** Prompts for a confirmation. Resolves to true once the user has confirmed, and to false if the user cancels. */
export function requestReauthentication(
  methods: readonly ReauthenticationMethod[],
  request: FailedRequest,
): Promise<boolean> {
  useReauthentication.setState({ methods });
  return prompt(request);
}
