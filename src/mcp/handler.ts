// The protocol's library, set up: one factory of servers for both revisions, and what of it meets Node's requests.
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import type {
  AuthInfo,
  jsonSchemaValidator,
  ScopeChallengeHandler,
  ServerContext,
} from '@modelcontextprotocol/server';
import {
  createMcpHandler as createSdkHandler,
  fromJsonSchema,
  McpServer,
} from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';
import type { RunDeps } from '../runs/deps.ts';
import { hasScope, type Scope, type UserActor } from '../services/accounts/actor.ts';
import { AGENT_SCOPES, resourceMetadataUrl } from '../services/accounts/agent-caller.ts';
import type { Caller, McpCall, McpMount } from './caller.ts';
import { presentRefusal } from './refusal.ts';
import { presentAnswer } from './result.ts';
import type { Tool } from './tool.ts';
import { TOOLS } from './tool-table.ts';

const VERSION = '0.1.0';

/** Tools check their arguments themselves and say more of them than the library would. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator: () => data => ({ valid: true, data: data as never, errorMessage: undefined }),
};

const schemaOf = (schema: TObject) =>
  fromJsonSchema(schema as Parameters<typeof fromJsonSchema>[0], UNCHECKED);

/** Wrapped once: servers are made anew for each request. */
const WIRED = TOOLS.map(tool => ({
  tool,
  inputSchema: schemaOf(tool.input),
  outputSchema: schemaOf(tool.output),
}));

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
      return answer(request as NodeIncomingMessageLike, res, call.body);
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

function createServer(deps: RunDeps, call: McpCall): McpServer {
  const server = new McpServer({ name: 'graphwright', title: 'Graphwright', version: VERSION }, {});
  for (const { tool, inputSchema, outputSchema } of WIRED) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema,
        outputSchema,
        annotations: { ...tool.hints },
        scopeChallenge: requireScope(call.actor, tool.scope),
      },
      (input, ctx) => callTool(tool, callerOf(deps, call, ctx), input),
    );
  }
  return server;
}

async function callTool(tool: Tool, caller: Caller, input: unknown) {
  try {
    return presentAnswer(tool, await tool.call(caller, input));
  } catch (err) {
    return presentRefusal(caller.deps.log, tool, err);
  }
}

function callerOf(deps: RunDeps, { actor, signal }: McpCall, { mcpReq }: ServerContext): Caller {
  const token = mcpReq._meta?.progressToken;
  return {
    deps,
    actor,
    signal: AbortSignal.any([signal, mcpReq.signal]),
    report: async progress => {
      if (token === undefined) return;
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, ...progress },
      });
    },
  };
}

/** 403 with what the caller has and what is missing, so that one step more in a client is enough. */
function requireScope(actor: UserActor, scope: Scope): ScopeChallengeHandler {
  return () => {
    if (hasScope(actor, scope)) return undefined;
    const [first = scope, ...more] = AGENT_SCOPES.filter(it => it === scope || hasScope(actor, it));
    return { scopes: [first, ...more], errorDescription: `This needs the scope ${scope}.` };
  };
}
