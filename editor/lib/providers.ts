// Finds the page on which the user can add a provider key.
import { useSession } from './session.ts';

/**
 * Returns the URL of the page where the user can add a key for the instance or for the active workspace, or undefined
 * if the user may do neither. If `provider` is set, the page opens the dialog of that provider.
 */
export function useProviderKeysHref(provider?: string): string | undefined {
  const { user, workspace } = useSession();
  const query = provider === undefined ? '' : `?add=${provider}`;
  if (user.isAdmin) return `/settings/providers${query}`;
  return workspace.role === 'OWNER' ? `/settings/provider-keys${query}` : undefined;
}
