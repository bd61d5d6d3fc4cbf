// Builds the protocol server for one request from the tables of tools, resources and prompts.
import type { jsonSchemaValidator, ScopeChallengeHandler, ServerContext } from '@modelcontextprotocol/server';
import {
  fromJsonSchema,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';
import { AppError } from '../lib/errors.ts';
import { isRecord } from '../lib/record.ts';
import { matchesSchema } from '../lib/schema-check.ts';
import type { RunDeps } from '../runs/deps.ts';
import { hasScope, type Scope, type UserActor } from '../services/accounts/actor.ts';
import { AGENT_SCOPES } from '../services/accounts/agent-caller.ts';
import type { Caller, McpCall } from './caller.ts';
import { INSTRUCTIONS } from './guide.ts';
import { PROMPTS } from './prompts.ts';
import { RESOURCES, type Resource } from './resources.ts';
import { presentOutput } from './result.ts';
import type { Tool } from './tool.ts';
import { presentError } from './tool-error.ts';
import { TOOLS } from './tool-table.ts';

const INFO = { name: 'graphwright', title: 'Graphwright', version: '0.1.0' };
/** The lists change only with the program; nodes and workflows are not part of them. */
const HOUR_MS = 3_600_000;
const LISTED = { ttlMs: HOUR_MS, cacheScope: 'private' } as const;
const FIXED = { listChanged: false } as const;
const OPTIONS = {
  capabilities: { tools: FIXED, prompts: FIXED, resources: FIXED },
  instructions: INSTRUCTIONS,
  cacheHints: {
    'tools/list': LISTED,
    'prompts/list': LISTED,
    'resources/list': LISTED,
    'resources/templates/list': LISTED,
    'server/discover': LISTED,
  },
};

/** Tools validate their arguments themselves, with better messages than the library's. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator: () => data => ({ valid: true, data: data as never, errorMessage: undefined }),
};
const CHECKED: jsonSchemaValidator = {
  getValidator: schema => data =>
    matchesSchema(schema as unknown as TObject, data)
      ? { valid: true, data: data as never, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: 'an argument is missing or too long' },
};

const schemaOf = (schema: TObject, validator: jsonSchemaValidator) =>
  fromJsonSchema(schema as Parameters<typeof fromJsonSchema>[0], validator);

interface WiredTool {
  readonly tool: Tool;
  readonly inputSchema: ReturnType<typeof schemaOf>;
  readonly outputSchema: ReturnType<typeof schemaOf>;
}

/** Wrapped once, since servers are created for each request. */
const WIRED_TOOLS: ReadonlyMap<string, WiredTool> = new Map(
  TOOLS.map(tool => [
    tool.name,
    {
      tool,
      inputSchema: schemaOf(tool.input, UNCHECKED),
      outputSchema: schemaOf(tool.output, UNCHECKED),
    },
  ]),
);
const WIRED_PROMPTS = PROMPTS.map(prompt => ({ prompt, argsSchema: schemaOf(prompt.input, CHECKED) }));

/** What this request needs: everything, or just the tool that it calls, since building the rest takes longer. */
export function createServer(deps: RunDeps, call: McpCall): McpServer {
  const server = new McpServer(INFO, OPTIONS);
  const called = WIRED_TOOLS.get(calledTool(call.body));
  if (called !== undefined) {
    addTool(server, deps, call, called);
    return server;
  }
  for (const wired of WIRED_TOOLS.values()) addTool(server, deps, call, wired);
  for (const resource of RESOURCES) addResource(server, deps, call, resource);
  for (const { prompt, argsSchema } of WIRED_PROMPTS) {
    const { name, title, description, text } = prompt;
    server.registerPrompt(name, { title, description, argsSchema }, args => ({
      messages: [{ role: 'user', content: { type: 'text', text: text(args as Record<string, string>) } }],
    }));
  }
  return server;
}

function calledTool(body: unknown): string {
  const { method, params } = isRecord(body) ? body : {};
  return method === 'tools/call' && isRecord(params) ? String(params.name) : '';
}

function addTool(
  server: McpServer,
  deps: RunDeps,
  call: McpCall,
  { tool, inputSchema, outputSchema }: WiredTool,
): void {
  const config = {
    title: tool.title,
    description: tool.description,
    inputSchema,
    outputSchema,
    annotations: { ...tool.hints },
    scopeChallenge: requireScope(call.actor, tool.scope),
  };
  server.registerTool(tool.name, config, (input, ctx) => callTool(tool, callerOf(deps, call, ctx), input));
}

async function callTool(tool: Tool, caller: Caller, input: unknown) {
  try {
    return presentOutput(tool, await tool.call(caller, input));
  } catch (err) {
    return presentError(caller.deps.log, tool, err);
  }
}

function callerOf(deps: RunDeps, { actor, signal, takeStream }: McpCall, { mcpReq }: ServerContext): Caller {
  const token = mcpReq._meta?.progressToken;
  return {
    deps,
    actor,
    signal,
    takeStream,
    report: async progress => {
      if (token === undefined) return;
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, ...progress },
      });
    },
  };
}

function addResource(server: McpServer, deps: RunDeps, call: McpCall, resource: Resource): void {
  const { name, uri, title, description, mimeType, scope } = resource;
  const scopeChallenge = requireScope(call.actor, scope);
  const config = { title, description, mimeType, scopeChallenge };
  const read = async (address: URL, id: string) => ({
    contents: [{ uri: address.href, mimeType, text: await readResource(deps, call, resource, id) }],
  });
  if (!uri.includes('{')) {
    server.registerResource(name, uri, config, address => read(address, ''));
    return;
  }
  const template = new ResourceTemplate(uri, { list: undefined });
  server.registerResource(name, template, config, (address, { id }) => read(address, String(id)));
}

async function readResource(
  deps: RunDeps,
  { actor }: McpCall,
  resource: Resource,
  id: string,
): Promise<string> {
  try {
    return await resource.read({ deps, actor }, id);
  } catch (err) {
    if (!(err instanceof AppError) || err.status >= 500) throw err;
    if (err.code === 'not_found') throw new ResourceNotFoundError(id);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, err.message, { code: err.code });
  }
}

/** 403 with the caller's scopes and the missing ones, so that a client can ask for them at once. */
function requireScope(actor: UserActor, scope: Scope): ScopeChallengeHandler {
  return () => {
    if (hasScope(actor, scope)) return undefined;
    const [first = scope, ...more] = AGENT_SCOPES.filter(it => it === scope || hasScope(actor, it));
    return { scopes: [first, ...more], errorDescription: `This needs the scope ${scope}.` };
  };
}
