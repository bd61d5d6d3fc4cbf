// The protocol's library, set up: one factory of servers for both revisions, and what of it meets Node's requests.
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { createMcpHandler as createSdkHandler } from '@modelcontextprotocol/server';
import type { RunDeps } from '../runs/deps.ts';
import { resourceMetadataUrl } from '../services/accounts/agent-caller.ts';
import type { McpCall, McpMount } from './caller.ts';
import { createServer } from './server.ts';
import { inOnePiece } from './whole-answer.ts';

/** Serves requests until it is closed. */
export function createMcpHandler(deps: RunDeps): McpMount {
  const log = deps.log.child({ part: 'mcp' });
  const handler = createSdkHandler(({ authInfo }) => createServer(deps, callOf(authInfo)), {
    onerror: err => log.debug({ err }, 'a request of the protocol was refused'),
  });
  const answer = toNodeHandler(handler, { onerror: err => log.error({ err }, 'a request failed') });
  return {
    serve: (req, res, call) => {
      const request = Object.assign(req, { auth: authOf(deps, call) });
      return answer(request as NodeIncomingMessageLike, inOnePiece(res), call.body);
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
