// Prompts users to confirm their identity before sensitive changes. All requests that failed meanwhile wait for the same
// prompt.
import { create } from 'zustand';

/** How the user can confirm. The service sends the accepted methods. */
export type ReauthenticationMethod = 'password' | 'openid';

interface Reauthentication {
  /** Settles all waiting requests. Undefined if none are waiting. */
  readonly settle: ((isConfirmed: boolean) => void) | undefined;
  readonly methods: readonly ReauthenticationMethod[];
}

export const useReauthentication = create<Reauthentication>(() => ({ settle: undefined, methods: [] }));

let prompt: Promise<boolean> | undefined;

/** Prompts for a confirmation. Resolves to true once the user has confirmed, and to false if the user cancels. */
export function requestReauthentication(
  methods: readonly ReauthenticationMethod[],
  signal?: AbortSignal,
): Promise<boolean> {
  prompt ??= new Promise<boolean>(resolve =>
    useReauthentication.setState({ settle: resolve, methods }),
  ).finally(() => {
    prompt = undefined;
    useReauthentication.setState({ settle: undefined });
  });
  if (signal === undefined) return prompt;
  return Promise.race([
    prompt,
    new Promise<boolean>(resolve => signal.addEventListener('abort', () => resolve(false), { once: true })),
  ]);
}
