// Finds the page on which a user sets up providers.
import { useSession } from './session.ts';

/** Returns undefined for users who may not set up providers. */
export function useProviderSettings(): string | undefined {
  return useSession().user.isAdmin ? '/settings/providers' : undefined;
}
