// Finds the page on which the user can add a provider key.
import { useSession } from './session.ts';

/**
 * Returns the address of the page to add a key: for the instance, or for the active workspace. Returns undefined for
 * users who may do neither. With a provider, the page opens its dialog.
 */
export function useProviderKeysHref(provider?: string): string | undefined {
  const { user, workspace } = useSession();
  const query = provider === undefined ? '' : `?add=${provider}`;
  if (user.isAdmin) return `/settings/providers${query}`;
  return workspace.role === 'OWNER' ? `/settings/provider-keys${query}` : undefined;
}
