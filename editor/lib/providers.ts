// Finds the page on which a user adds a key of a provider.
import { useSession } from './session.ts';

/**
 * Returns where the user can add a key: for the instance, or for the active workspace. Returns undefined for users who
 * may do neither. With a provider, the page opens its dialog.
 */
export function useProviderSettings(provider?: string): string | undefined {
  const { user, workspace } = useSession();
  const query = provider === undefined ? '' : `?add=${provider}`;
  if (user.isAdmin) return `/settings/providers${query}`;
  return workspace.role === 'OWNER' ? `/settings/provider-keys${query}` : undefined;
}
