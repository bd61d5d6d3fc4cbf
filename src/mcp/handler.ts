// Handles Node's requests to `/mcp` with the protocol's library, which serves both protocol revisions.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo, McpServer, ServerEventBus } from '@modelcontextprotocol/server';
import { createMcpHandler as createSdkHandler } from '@modelcontextprotocol/server';
import type { RunDeps } from '../runs/deps.ts';
import { getResourceMetadataUrl, type McpCall } from '../services/accounts/agent-caller.ts';
import { createMcpServer } from './server.ts';
import { toWebRequest, writeResponse } from './web-response.ts';

/** Handles requests until it is closed. */
export interface McpMount {
  serve(req: IncomingMessage, res: ServerResponse, call: McpCall): Promise<void>;
  close(): Promise<void>;
}

/** Options of the handler, which tests replace. */
export interface HandlerOptions {
  /** Creates the server for a single request. */
  readonly makeServer: (deps: RunDeps, call: McpCall) => McpServer;
  /** Announces changes of lists. The service needs no bus, because its lists do not change. */
  readonly bus?: ServerEventBus;
}

export function createMcpHandler(
  deps: RunDeps,
  { makeServer, ...options }: HandlerOptions = { makeServer: createMcpServer },
): McpMount {
  const log = deps.log.child({ part: 'mcp' });
  const handler = createSdkHandler(({ authInfo }) => makeServer(deps, getCall(authInfo)), {
    ...options,
    onerror: err => log.debug({ err }, 'a protocol request was rejected'),
  });
  return {
    serve: async (req, res, call) => {
      const options = { authInfo: toAuthInfo(deps, call), parsedBody: call.body };
      await writeResponse(await handler.fetch(toWebRequest(req, call.signal), options), res);
    },
    close: () => handler.close(),
  };
}

/** Passes the call through the library, which does not verify it. */
function toAuthInfo(deps: RunDeps, call: McpCall): AuthInfo {
  const metadata = getResourceMetadataUrl(deps);
  return {
    token: '',
    clientId: call.actor.credential.id,
    scopes: [...call.actor.scopes],
    ...(metadata === undefined ? {} : { resourceMetadataUrl: metadata }),
    extra: { call },
  };
}

const getCall = (auth: AuthInfo | undefined): McpCall => auth?.extra?.call as McpCall;
