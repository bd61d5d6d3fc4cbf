// Creates an agent without a model: a third-party MCP client.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The protocol revisions that the service supports. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface ToolResult {
  readonly isError: boolean;
  /** The text for the model. */
  readonly text: string;
  readonly content: readonly Record<string, unknown>[];
  // Untyped, because tests read results as a model would.
  // biome-ignore lint/suspicious/noExplicitAny: the shape differs by tool
  readonly data: Record<string, any>;
}

export interface Agent {
  readonly client: Client;
  /** The results of all calls so far. */
  readonly calls: readonly ToolResult[];
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  /** Calls the tool and returns the data of the result. Throws if the tool refuses. */
  get(name: string, args?: Record<string, unknown>): Promise<ToolResult['data']>;
  close(): Promise<void>;
}

export type CallOptions = NonNullable<Parameters<Client['callTool']>[1]>;

/** Connects to the URL with a bearer token. */
export async function connectAgent(url: string, bearer: string, revision: Revision): Promise<Agent> {
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
  const client = new Client({ name: 'scripted-agent', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const calls: ToolResult[] = [];
  const call: Agent['call'] = async (name, args = {}, options) => {
    const result = toResult(await client.callTool({ name, arguments: args }, options));
    calls.push(result);
    return result;
  };
  return {
    client,
    calls,
    call,
    get: async (name, args) => {
      const { isError, text, data } = await call(name, args);
      if (isError) throw new Error(`${name} was refused: ${text}`);
      return data;
    },
    close: () => client.close(),
  };
}

function toResult(result: Awaited<ReturnType<Client['callTool']>>): ToolResult {
  const content = result.content as readonly Record<string, unknown>[];
  const text = content.flatMap(block => (block.type === 'text' ? [String(block.text)] : [])).join('\n');
  const data = (result.structuredContent ?? {}) as ToolResult['data'];
  return { isError: result.isError === true, text, content, data };
}
