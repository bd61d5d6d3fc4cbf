// `graphwright mcp`: connects MCP clients that support only stdio with the service. Each line is a message.
import { createInterface } from 'node:readline';
import { isRecord, parseJson } from '../lib/record.ts';
import { readSettings } from '../lib/settings.ts';
import { type Command, UsageError } from './command.ts';

/** The connection between a client and the service. */
interface Bridge {
  /** The URL of the service's MCP endpoint. */
  readonly url: string;
  readonly apiKey: string;
  /** Sends a message to the client. */
  readonly write: (message: string) => void;
  /** Requests in progress, by id. */
  readonly pendingRequests: Map<unknown, AbortController>;
  /** The protocol revision agreed on in `initialize`. Messages of later revisions contain their revision. */
  version: string | undefined;
}

type Message = Readonly<Record<string, unknown>>;

export const mcp: Command = async ({ terminal, signal }) => {
  const { GRAPHWRIGHT_URL: serviceUrl = '', GRAPHWRIGHT_API_KEY: apiKey } = readSettings();
  if (apiKey === undefined)
    throw new UsageError('GRAPHWRIGHT_API_KEY is not set: set it in the client that starts this command.');
  const bridge: Bridge = {
    url: `${serviceUrl}/mcp`,
    apiKey,
    write: message => terminal.print(message),
    pendingRequests: new Map(),
    version: undefined,
  };
  const lines = createInterface({ input: process.stdin, signal });
  const pending = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const work = forward(bridge, line, signal).finally(() => pending.delete(work));
    pending.add(work);
    // Requests after `initialize` use the revision of its response.
    if (line.includes('"initialize"')) await work;
  }
  await Promise.all(pending);
};

/** Sends one message and writes the response. Never throws: failures are reported to the client in the protocol. */
async function forward(bridge: Bridge, line: string, signal: AbortSignal): Promise<void> {
  const message = parse(line);
  if (message === undefined) {
    bridge.write(createErrorResponse(null, -32_700, 'The line is not JSON.'));
    return;
  }
  const { id, method } = message;
  if (method === 'notifications/cancelled') {
    const { requestId } = isRecord(message.params) ? message.params : {};
    bridge.pendingRequests.get(requestId)?.abort();
  }
  const controller = new AbortController();
  if (id !== undefined) bridge.pendingRequests.set(id, controller);
  try {
    const response = await fetch(bridge.url, {
      method: 'POST',
      headers: toHeaders(bridge, message),
      body: line,
      signal: AbortSignal.any([signal, controller.signal]),
    });
    await forwardResponse(bridge, response, message);
  } catch (err) {
    // A cancelled request expects no response.
    if (id !== undefined && !controller.signal.aborted && !signal.aborted)
      bridge.write(
        createErrorResponse(
          id,
          -32_000,
          `The service at ${bridge.url} cannot be reached: ${describeError(err)}.`,
        ),
      );
  } finally {
    bridge.pendingRequests.delete(id);
  }
}

function parse(line: string): Message | undefined {
  const message = parseJson(line);
  return isRecord(message) ? message : undefined;
}

/** Returns the request headers, including those of the later protocol revision, which proxies can use for routing. */
function toHeaders({ apiKey, version }: Bridge, { method, params }: Message): Record<string, string> {
  const { name, uri, _meta } = isRecord(params) ? params : {};
  const messageVersion = isRecord(_meta) ? _meta['io.modelcontextprotocol/protocolVersion'] : undefined;
  const subject = name ?? uri;
  return {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(typeof messageVersion === 'string' && typeof method === 'string' ? { 'mcp-method': method } : {}),
    ...(typeof messageVersion === 'string' && typeof subject === 'string'
      ? { 'mcp-name': toHeaderText(subject) }
      : {}),
    ...(typeof messageVersion === 'string' || version !== undefined
      ? { 'mcp-protocol-version': String(messageVersion ?? version) }
      : {}),
  };
}

/** Encodes a name for a header, which is ASCII, in the encoding of the protocol. */
function toHeaderText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Forwards the message or stream of messages in a response. Converts an HTTP error to a protocol error. */
async function forwardResponse(bridge: Bridge, response: Response, { id, method }: Message): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) {
    for await (const message of readEvents(response)) bridge.write(recordVersion(bridge, method, message));
    return;
  }
  const text = await response.text();
  if (text === '') return;
  const body = parse(text);
  if (body?.jsonrpc === '2.0') bridge.write(recordVersion(bridge, method, text));
  else if (id !== undefined) bridge.write(createErrorResponse(id, -32_000, describeFailure(response, body)));
}

function describeFailure({ status }: Response, body: Message | undefined): string {
  if (status === 401) return 'The service rejected the key. Set GRAPHWRIGHT_API_KEY to a valid key.';
  return typeof body?.error === 'string' ? body.error : `The service responded with status ${status}.`;
}

/** Stores the protocol revision that the service agreed on. Returns the message. */
function recordVersion(bridge: Bridge, method: unknown, message: string): string {
  if (method !== 'initialize') return message;
  const { result } = parse(message) ?? {};
  if (isRecord(result) && typeof result.protocolVersion === 'string') bridge.version = result.protocolVersion;
  return message;
}

async function* readEvents({ body }: Response): AsyncGenerator<string> {
  let text = '';
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop() ?? '';
    for (const event of events) {
      const data = event.split(/\r?\n/).filter(line => line.startsWith('data:'));
      const message = data.map(line => line.slice(5).trimStart()).join('\n');
      if (message !== '') yield message;
    }
  }
}

const createErrorResponse = (id: unknown, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

function describeError(err: unknown): string {
  const { message, cause } = err as { message: string; cause?: { code?: string } };
  return cause?.code ?? message;
}
