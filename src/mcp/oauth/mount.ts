// Mounts the authorization server, and loads oidc-provider with the first request that needs it.

import type { Deps } from '../../services/deps.ts';
import type { OAuthMount, OAuthServer } from '../../services/oauth/oauth-server.ts';
import { isOAuthEnabled } from '../../services/oauth/oauth-server.ts';
import { getResourceMetadata, getServerMetadata } from './metadata.ts';

/** Returns undefined if BASE_URL is neither https nor a loopback host. */
export function createOAuthMount(deps: Deps): OAuthMount | undefined {
  if (!isOAuthEnabled(deps.settings)) return undefined;
  let loading: Promise<OAuthServer> | undefined;
  const getServer = (): Promise<OAuthServer> => {
    loading ??= import('./server.ts')
      .then(({ createOAuthServer }) => createOAuthServer(deps))
      .catch((err: unknown) => {
        // The next request tries again: the database may have been unavailable.
        loading = undefined;
        throw err;
      });
    return loading;
  };
  return {
    resourceMetadata: getResourceMetadata(deps.settings),
    serverMetadata: getServerMetadata(deps.settings),
    getServer,
  };
}
