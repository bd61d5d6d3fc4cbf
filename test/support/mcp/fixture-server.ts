// Creates an MCP server with the fixtures of the conformance suite instead of the service's tools.
import { randomBytes } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequest,
  type InputRequests,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  INPUT_TOOLS,
  type InputRounds,
  NOTIFYING_TOOLS,
  PROMPTS,
  RESOURCES,
  STATIC_TOOLS,
} from './fixtures.ts';

const codec = createRequestStateCodec<{ readonly round: number }>({ key: randomBytes(32) });
const CACHE_HINT = { ttlMs: 60_000, cacheScope: 'private' } as const;
const LIST_CHANGED = { listChanged: true };
const OPTIONS = {
  capabilities: {
    logging: {},
    completions: {},
    tools: LIST_CHANGED,
    prompts: LIST_CHANGED,
    resources: { ...LIST_CHANGED, subscribe: true },
  },
  cacheHints: {
    'tools/list': CACHE_HINT,
    'prompts/list': CACHE_HINT,
    'resources/list': CACHE_HINT,
    'resources/templates/list': CACHE_HINT,
    'resources/read': CACHE_HINT,
    'server/discover': CACHE_HINT,
  },
  requestState: { verify: codec.verify },
};

const DONE = { content: [{ type: 'text' as const, text: 'Done.' }] };
const createDescription = (name: string) => ({ description: `Fixture: ${name.replaceAll('_', ' ')}` });

/** Functions that the tools that change a list call. */
export interface ChangeListeners {
  toolsChanged(): void;
  promptsChanged(): void;
}

export function createFixtureServer(listeners: ChangeListeners): McpServer {
  const server = new McpServer({ name: 'fixtures', version: '1.0.0' }, OPTIONS);
  addTools(server, listeners);
  for (const [name, { args, contents, input }] of Object.entries(PROMPTS)) {
    const present = (values: Readonly<Record<string, string>>) => ({
      messages: contents(values).map(content => ({ role: 'user' as const, content })),
    });
    if (args.length > 0) {
      const argsSchema = createTextsSchema(args);
      server.registerPrompt(name, { ...createDescription(name), argsSchema }, values => present(values));
    } else {
      server.registerPrompt(
        name,
        createDescription(name),
        async ctx => (await findInputRequest(input, ctx)) ?? present({}),
      );
    }
  }
  addResources(server);
  server.server.setRequestHandler('completion/complete', () => ({ completion: { values: [] } }));
  return server;
}

function addTools(server: McpServer, listeners: ChangeListeners): void {
  for (const [name, content] of Object.entries(STATIC_TOOLS))
    server.registerTool(name, createDescription(name), () => ({ content }));
  for (const [name, notify] of Object.entries(NOTIFYING_TOOLS))
    server.registerTool(name, createDescription(name), async ctx => {
      await notify(ctx);
      return DONE;
    });
  for (const [name, input] of Object.entries(INPUT_TOOLS))
    server.registerTool(
      name,
      createDescription(name),
      async ctx => (await findInputRequest(input, ctx)) ?? DONE,
    );
  server.registerTool('test_error_handling', createDescription('error'), () => {
    throw new Error('This tool always fails.');
  });
  for (const [name, announce] of [
    ['test_trigger_tool_change', (): void => listeners.toolsChanged()],
    ['test_trigger_prompt_change', (): void => listeners.promptsChanged()],
  ] as const)
    server.registerTool(name, createDescription(name), () => {
      announce();
      return DONE;
    });
}

/** Replaces a type of the library, which is wrong. */
type Envelope = Readonly<Record<typeof CLIENT_CAPABILITIES_META_KEY, object | undefined>>;

/** Returns the requests of the current round. Returns undefined if the client has answered all rounds. */
async function findInputRequest(input: InputRounds | undefined, { mcpReq }: ServerContext) {
  const { rounds, onlyDeclared } = input ?? { rounds: [] };
  const previousRound = mcpReq.requestState<{ readonly round: number }>()?.round ?? 0;
  const isAnswered = Object.keys(rounds[previousRound] ?? {}).some(
    key => inputResponse(mcpReq.inputResponses, key).kind !== 'missing',
  );
  const round = isAnswered ? previousRound + 1 : previousRound;
  const requests = rounds[round];
  if (requests === undefined) return undefined;
  const declared = (mcpReq.envelope as Envelope | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
  const inputRequests = onlyDeclared === true ? selectSupported(requests, Object.keys(declared)) : requests;
  return inputRequired({ inputRequests, requestState: await codec.mint({ round }) });
}

/** Selects the requests that the capabilities allow. For example, `sampling/createMessage` needs `sampling`. */
const selectSupported = (requests: InputRequests, capabilities: readonly string[]): InputRequests =>
  Object.fromEntries(
    Object.entries(requests).filter(([, { method }]: [string, InputRequest]) =>
      capabilities.includes(method.split('/')[0] ?? ''),
    ),
  );

const createTextsSchema = (names: readonly string[]) =>
  fromJsonSchema<Record<string, string>>({
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
    required: [...names],
  });

function addResources(server: McpServer): void {
  for (const [address, { mimeType, read }] of Object.entries(RESOURCES)) {
    const contents = (uri: URL, id: string) => ({ contents: [{ uri: uri.href, mimeType, ...read(id) }] });
    const config = { ...createDescription(address), mimeType };
    if (address.includes('{')) {
      const template = new ResourceTemplate(address, { list: undefined });
      server.registerResource(address, template, config, (uri, { id }) => contents(uri, String(id)));
    } else server.registerResource(address, address, config, uri => contents(uri, ''));
  }
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    server.server.setRequestHandler(method, () => ({}));
}
