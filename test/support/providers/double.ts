// Starts a test double of a provider: an HTTP server that fails as a test plans.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export interface ReceivedRequest {
  readonly method: string;
  /** The path with the query string. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly json: Record<string, unknown>;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A Buffer is sent unchanged, and every other body as JSON. */
  readonly body?: unknown;
}

export interface Exchange {
  readonly request: ReceivedRequest;
  readonly reply: Reply;
}

/** `reset` breaks the connection, `hang` sends no response, and `late` delays the response. A reply replaces the response. */
export type Fault = 'reset' | 'hang' | 'late' | Reply;

const LATE_MS = 1500;

interface PlannedFault {
  readonly match: RegExp;
  readonly fault: Fault;
  /** Whether the request is processed before it fails. */
  readonly isProcessed: boolean;
  remainingCount: number;
}

export interface Double {
  readonly url: string;
  /** All requests, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** The requests that were processed, whether or not the response was delivered. */
  readonly processed: readonly ReceivedRequest[];
  /** The requests with their responses, except for failed responses. */
  readonly exchanges: readonly Exchange[];
  /** Counts the requests whose `METHOD path` matches. */
  count(match: RegExp): number;
  /** Makes the next matching requests fail without being processed. */
  failRequests(match: RegExp, fault: Fault, times?: number): void;
  /** Makes the responses to the next matching requests fail, after the requests have been processed. */
  failResponses(match: RegExp, fault: Fault, times?: number): void;
  /** Removes all planned faults. */
  clearFaults(): void;
  close(): Promise<void>;
}

export async function startDouble(
  respond: (request: ReceivedRequest) => Reply,
  onUpgrade?: (req: IncomingMessage, socket: Duplex) => void,
): Promise<Double> {
  const requests: ReceivedRequest[] = [];
  const processed: ReceivedRequest[] = [];
  const exchanges: Exchange[] = [];
  const faults: PlannedFault[] = [];
  const server = createServer(async (req, res) => {
    // The caller may disconnect at any time.
    const request = await read(req).catch(() => undefined);
    if (request === undefined) return;
    requests.push(request);
    const plannedFault = faults.find(
      ({ match, remainingCount }) => remainingCount > 0 && match.test(describeRequest(request)),
    );
    if (plannedFault !== undefined) plannedFault.remainingCount--;
    const isProcessed = plannedFault?.isProcessed ?? true;
    if (isProcessed) processed.push(request);
    const reply = isProcessed ? respond(request) : undefined;
    if (reply !== undefined && plannedFault === undefined) exchanges.push({ request, reply });
    const isLate = plannedFault?.fault === 'late';
    if (isLate) await delay(LATE_MS);
    send(res, isLate ? (reply as Reply) : (plannedFault?.fault ?? (reply as Reply)));
  });
  if (onUpgrade !== undefined) server.on('upgrade', onUpgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const plan =
    (isProcessed: boolean) =>
    (match: RegExp, fault: Fault, times = 1) => {
      faults.push({ match, fault, isProcessed, remainingCount: times });
    };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    processed,
    exchanges,
    count: match => requests.filter(item => match.test(describeRequest(item))).length,
    failRequests: plan(false),
    failResponses: plan(true),
    clearFaults: () => {
      faults.length = 0;
    },
    close: () => close(server),
  };
}

const describeRequest = ({ method, path }: ReceivedRequest): string => `${method} ${path}`;

async function read(req: IncomingMessage): Promise<ReceivedRequest> {
  const body = await buffer(req);
  const isJson = req.headers['content-type']?.includes('json') === true && body.length > 0;
  return {
    method: req.method ?? '',
    path: req.url ?? '',
    headers: req.headers,
    body,
    json: isJson ? (JSON.parse(body.toString()) as Record<string, unknown>) : {},
  };
}

function send(res: ServerResponse, reply: Exclude<Fault, 'late'>): void {
  if (reply === 'hang') return;
  if (reply === 'reset') {
    res.socket?.resetAndDestroy();
    return;
  }
  const { status, headers, body } = reply;
  const isBytes = Buffer.isBuffer(body);
  res.writeHead(status, {
    'content-type': isBytes ? 'application/octet-stream' : 'application/json',
    ...headers,
  });
  res.end(isBytes ? body : body === undefined ? '' : JSON.stringify(body));
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
