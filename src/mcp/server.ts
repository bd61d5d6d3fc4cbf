// Builds the protocol server for a single request from the tables of tools, resources and prompts.
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
import { AGENT_SCOPES, hasScope, type Scope, type UserActor } from '../services/accounts/actor.ts';
import type { McpCall } from '../services/accounts/agent-caller.ts';
import { INSTRUCTIONS } from './guide.ts';
import { PROMPTS } from './prompts.ts';
import { RESOURCES, type Resource } from './resources.ts';
import { presentOutput } from './result.ts';
import type { Tool, ToolContext } from './tool.ts';
import { presentError } from './tool-error.ts';
import { TOOLS } from './tool-table.ts';

const SERVER_INFO = { name: 'graphwright', title: 'Graphwright', version: '0.1.0' };
/** The lists change only with the program, because they do not contain nodes and workflows. */
const LIST_CACHE = { ttlMs: 3_600_000, cacheScope: 'private' } as const;
const UNCHANGING = { listChanged: false } as const;
const OPTIONS = {
  capabilities: { tools: UNCHANGING, prompts: UNCHANGING, resources: UNCHANGING },
  instructions: INSTRUCTIONS,
  cacheHints: {
    'tools/list': LIST_CACHE,
    'prompts/list': LIST_CACHE,
    'resources/list': LIST_CACHE,
    'resources/templates/list': LIST_CACHE,
    'server/discover': LIST_CACHE,
  },
};

/** Tools validate their arguments themselves, with better messages than the library's. */
const ACCEPT_ALL: jsonSchemaValidator = {
  getValidator: () => data => ({ valid: true, data: data as never, errorMessage: undefined }),
};
const SCHEMA_VALIDATOR: jsonSchemaValidator = {
  getValidator: schema => data =>
    matchesSchema(schema as unknown as TObject, data)
      ? { valid: true, data: data as never, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: 'an argument is missing or too long' },
};

const toSchema = (schema: TObject, validator: jsonSchemaValidator) =>
  fromJsonSchema(schema as Parameters<typeof fromJsonSchema>[0], validator);

interface RegisteredTool {
  readonly tool: Tool;
  readonly inputSchema: ReturnType<typeof toSchema>;
  readonly outputSchema: ReturnType<typeof toSchema>;
}

/** Schemas are converted once, because a server is created for each request. */
const REGISTERED_TOOLS: ReadonlyMap<string, RegisteredTool> = new Map(
  TOOLS.map(tool => [
    tool.name,
    {
      tool,
      inputSchema: toSchema(tool.input, ACCEPT_ALL),
      outputSchema: toSchema(tool.output, ACCEPT_ALL),
    },
  ]),
);
const REGISTERED_PROMPTS = PROMPTS.map(prompt => ({
  prompt,
  argsSchema: toSchema(prompt.input, SCHEMA_VALIDATOR),
}));

/** Registers a single tool if the request calls one, because registering everything takes longer. */
export function createMcpServer(deps: RunDeps, call: McpCall): McpServer {
  const server = new McpServer(SERVER_INFO, OPTIONS);
  const calledTool = REGISTERED_TOOLS.get(getToolName(call.body));
  if (calledTool !== undefined) {
    addTool(server, deps, call, calledTool);
    return server;
  }
  for (const tool of REGISTERED_TOOLS.values()) addTool(server, deps, call, tool);
  for (const resource of RESOURCES) addResource(server, deps, call, resource);
  for (const { prompt, argsSchema } of REGISTERED_PROMPTS) {
    const { name, title, description, text } = prompt;
    server.registerPrompt(name, { title, description, argsSchema }, args => ({
      messages: [{ role: 'user', content: { type: 'text', text: text(args as Record<string, string>) } }],
    }));
  }
  return server;
}

function getToolName(body: unknown): string {
  const { method, params } = isRecord(body) ? body : {};
  return method === 'tools/call' && isRecord(params) ? String(params.name) : '';
}

function addTool(
  server: McpServer,
  deps: RunDeps,
  call: McpCall,
  { tool, inputSchema, outputSchema }: RegisteredTool,
): void {
  const config = {
    title: tool.title,
    description: tool.description,
    inputSchema,
    outputSchema,
    annotations: { ...tool.hints },
    scopeChallenge: createScopeChallenge(call.actor, tool.scope),
  };
  server.registerTool(tool.name, config, (input, ctx) =>
    callTool(tool, createToolContext(deps, call, ctx), input),
  );
}

async function callTool(tool: Tool, ctx: ToolContext, input: unknown) {
  try {
    return presentOutput(tool, await tool.call(ctx, input));
  } catch (err) {
    return presentError(ctx.deps.log, tool, err);
  }
}

function createToolContext(
  deps: RunDeps,
  { actor, signal, reserveStream }: McpCall,
  { mcpReq }: ServerContext,
): ToolContext {
  const token = mcpReq._meta?.progressToken;
  return {
    deps,
    actor,
    signal,
    reserveStream,
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
  const scopeChallenge = createScopeChallenge(call.actor, scope);
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

/** Returns 403 with the caller's scopes and the missing scope, so that a client can request all of them together. */
function createScopeChallenge(actor: UserActor, scope: Scope): ScopeChallengeHandler {
  return () => {
    if (hasScope(actor, scope)) return undefined;
    const [first = scope, ...more] = AGENT_SCOPES.filter(
      candidate => candidate === scope || hasScope(actor, candidate),
    );
    return { scopes: [first, ...more], errorDescription: `The credential lacks the scope ${scope}.` };
  };
}
