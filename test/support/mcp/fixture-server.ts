// A server with the conformance suite's fixtures instead of our tools, registered in the library's form, one server per
// request.
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
const CACHED = { ttlMs: 60_000, cacheScope: 'private' } as const;
const LISTED = { listChanged: true };
const OPTIONS = {
  capabilities: {
    logging: {},
    completions: {},
    tools: LISTED,
    prompts: LISTED,
    resources: { ...LISTED, subscribe: true },
  },
  cacheHints: {
    'tools/list': CACHED,
    'prompts/list': CACHED,
    'resources/list': CACHED,
    'resources/templates/list': CACHED,
    'resources/read': CACHED,
    'server/discover': CACHED,
  },
  requestState: { verify: codec.verify },
};

const DONE = { content: [{ type: 'text' as const, text: 'Done.' }] };
const described = (name: string) => ({ description: `Fixture: ${name.replaceAll('_', ' ')}` });

/** Called by the tools that change a list. */
export interface Changes {
  toolsChanged(): void;
  promptsChanged(): void;
}

export function createFixtureServer(changes: Changes): McpServer {
  const server = new McpServer({ name: 'fixtures', version: '1.0.0' }, OPTIONS);
  addTools(server, changes);
  for (const [name, { args, contents, input }] of Object.entries(PROMPTS)) {
    const present = (values: Readonly<Record<string, string>>) => ({
      messages: contents(values).map(content => ({ role: 'user' as const, content })),
    });
    if (args.length > 0) {
      const argsSchema = textsSchema(args);
      server.registerPrompt(name, { ...described(name), argsSchema }, values => present(values));
    } else {
      server.registerPrompt(
        name,
        described(name),
        async ctx => (await sendRequest(input, ctx)) ?? present({}),
      );
    }
  }
  addResources(server);
  server.server.setRequestHandler('completion/complete', () => ({ completion: { values: [] } }));
  return server;
}

function addTools(server: McpServer, changes: Changes): void {
  for (const [name, content] of Object.entries(STATIC_TOOLS))
    server.registerTool(name, described(name), () => ({ content }));
  for (const [name, notify] of Object.entries(NOTIFYING_TOOLS))
    server.registerTool(name, described(name), async ctx => {
      await notify(ctx);
      return DONE;
    });
  for (const [name, input] of Object.entries(INPUT_TOOLS))
    server.registerTool(name, described(name), async ctx => (await sendRequest(input, ctx)) ?? DONE);
  server.registerTool('test_error_handling', described('error'), () => {
    throw new Error('This tool always fails.');
  });
  for (const [name, announce] of [
    ['test_trigger_tool_change', (): void => changes.toolsChanged()],
    ['test_trigger_prompt_change', (): void => changes.promptsChanged()],
  ] as const)
    server.registerTool(name, described(name), () => {
      announce();
      return DONE;
    });
}

/** The library's own type is broken. */
type Envelope = Readonly<Record<typeof CLIENT_CAPABILITIES_META_KEY, object | undefined>>;

/** The questions of the current round; undefined once all are answered. */
async function sendRequest(input: InputRounds | undefined, { mcpReq }: ServerContext) {
  const { rounds, onlyDeclared } = input ?? { rounds: [] };
  const before = mcpReq.requestState<{ readonly round: number }>()?.round ?? 0;
  const isAnswered = Object.keys(rounds[before] ?? {}).some(
    key => inputResponse(mcpReq.inputResponses, key).kind !== 'missing',
  );
  const round = isAnswered ? before + 1 : before;
  const open = rounds[round];
  if (open === undefined) return undefined;
  const declared = (mcpReq.envelope as Envelope | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
  const inputRequests = onlyDeclared === true ? declaredOnly(open, Object.keys(declared)) : open;
  return inputRequired({ inputRequests, requestState: await codec.mint({ round }) });
}

/** `sampling/createMessage` needs the capability `sampling`. */
const declaredOnly = (requests: InputRequests, capabilities: readonly string[]): InputRequests =>
  Object.fromEntries(
    Object.entries(requests).filter(([, { method }]: [string, InputRequest]) =>
      capabilities.includes(method.split('/')[0] ?? ''),
    ),
  );

const textsSchema = (names: readonly string[]) =>
  fromJsonSchema<Record<string, string>>({
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
    required: [...names],
  });

function addResources(server: McpServer): void {
  for (const [address, { mimeType, read }] of Object.entries(RESOURCES)) {
    const contents = (uri: URL, id: string) => ({ contents: [{ uri: uri.href, mimeType, ...read(id) }] });
    const config = { ...described(address), mimeType };
    if (address.includes('{')) {
      const template = new ResourceTemplate(address, { list: undefined });
      server.registerResource(address, template, config, (uri, { id }) => contents(uri, String(id)));
    } else server.registerResource(address, address, config, uri => contents(uri, ''));
  }
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    server.server.setRequestHandler(method, () => ({}));
}
