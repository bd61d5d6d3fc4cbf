// The protocol's library, set up: one factory of servers for both revisions, and what of it meets Node's requests.
import type { AuthInfo, McpServer, ServerEventBus } from '@modelcontextprotocol/server';
import { createMcpHandler as createSdkHandler } from '@modelcontextprotocol/server';
import type { RunDeps } from '../runs/deps.ts';
import { resourceMetadataUrl } from '../services/accounts/agent-caller.ts';
import type { McpCall, McpMount } from './caller.ts';
import { createServer } from './server.ts';
import { toWebRequest, writeResponse } from './web-response.ts';

/** What answers; tests bring another. */
export interface Served {
  /** Makes what answers one request. */
  readonly makeServer: (deps: RunDeps, call: McpCall) => McpServer;
  /** Where changes of lists are announced; ours do not change. */
  readonly bus?: ServerEventBus;
}

/** Serves requests until it is closed. */
export function createMcpHandler(
  deps: RunDeps,
  { makeServer, ...served }: Served = { makeServer: createServer },
): McpMount {
  const log = deps.log.child({ part: 'mcp' });
  const handler = createSdkHandler(({ authInfo }) => makeServer(deps, callOf(authInfo)), {
    ...served,
    onerror: err => log.debug({ err }, 'a request of the protocol was refused'),
  });
  return {
    serve: async (req, res, call) => {
      const options = { authInfo: authOf(deps, call), parsedBody: call.body };
      await writeResponse(await handler.fetch(toWebRequest(req, call.signal), options), res);
    },
    close: () => handler.close(),
  };
}

/** What the library hands on to servers and tools unseen; it verifies nothing. */
function authOf(deps: RunDeps, call: McpCall): AuthInfo {
  const metadata = resourceMetadataUrl(deps);
  return {
    token: '',
    clientId: call.actor.credential.id,
    scopes: [...call.actor.scopes],
    ...(metadata === undefined ? {} : { resourceMetadataUrl: metadata }),
    extra: { call },
  };
}

const callOf = (auth: AuthInfo | undefined): McpCall => auth?.extra?.call as McpCall;
