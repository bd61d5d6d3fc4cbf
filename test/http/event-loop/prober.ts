// Sends the largest requests and polls /healthz from a separate process, so that this work does not affect the
// service.
import type { BodySchema } from '../../support/http/random-body.ts';
import type { ConfiguredNode } from './nodes.ts';
import { createProbes, type Fixtures, type Probe } from './probes.ts';
import type { Route } from './routes.ts';

/** The first message to the process. Each later message is the name of a probe to run. */
export interface ProberSetup {
  readonly fixtures: Fixtures;
  readonly nodes: readonly ConfiguredNode[];
  readonly routes: readonly Route[];
  readonly schemas: Readonly<Record<string, BodySchema>>;
}

export interface ProbeResult {
  readonly statuses: readonly number[];
  /** The longest response time of /healthz. */
  readonly healthMs: number;
  /** The size of all requests. */
  readonly sentBytes: number;
  /** The size of the largest answer. */
  readonly maxAnswerBytes: number;
  readonly error?: string;
}

const HEALTH_INTERVAL_MS = 20;
const TIMEOUT_MS = 120_000;

let fixtures: Fixtures;
let probes: Readonly<Record<string, Probe>> = {};

process.on('message', async (message: ProberSetup | string) => {
  if (typeof message === 'string') {
    process.send?.(await run(probes[message] as Probe));
    return;
  }
  ({ fixtures } = message);
  probes = createProbes(message);
  process.send?.('ready');
});

async function run(probe: Probe): Promise<ProbeResult> {
  let healthMs = 0;
  let isOver = false;
  let [sentBytes, maxAnswerBytes] = [0, 0];
  const statuses: number[] = [];
  const pollHealth = async (): Promise<void> => {
    while (!isOver) {
      const startedMs = performance.now();
      await (await fetch(`${fixtures.url}/healthz`)).text();
      healthMs = Math.max(healthMs, performance.now() - startedMs);
      await new Promise(resolve => setTimeout(resolve, HEALTH_INTERVAL_MS));
    }
  };
  const sendRequest = async (method: string, path: string, body?: unknown, key = findKey(path)) => {
    const sentText = typeof body === 'string' ? body : JSON.stringify(body);
    sentBytes += sentText?.length ?? 0;
    const response = await fetch(fixtures.url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(key === '' ? {} : toCredential(key)),
        accept: 'application/json, text/event-stream, text/html;q=0.9',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(sentText === undefined ? {} : { body: sentText }),
    });
    const { text, length } = await readBody(response, method);
    maxAnswerBytes = Math.max(maxAnswerBytes, length);
    statuses.push(response.status);
    return { status: response.status, text };
  };
  try {
    const sendMeasured = await probe(fixtures, sendRequest);
    statuses.length = 0;
    process.send?.('ready');
    const polling = pollHealth();
    await sendMeasured().finally(() => {
      isOver = true;
    });
    await polling;
    return { statuses, healthMs, sentBytes, maxAnswerBytes };
  } catch (err) {
    return { statuses, healthMs, sentBytes, maxAnswerBytes, error: String((err as Error).stack) };
  }
}

const toCredential = (key: string): Record<string, string> =>
  key.startsWith('session=')
    ? { cookie: key, 'sec-fetch-site': 'same-origin' }
    : { authorization: `Bearer ${key}` };

/** Only administrators reach the routes of the instance. */
const findKey = (path: string): string =>
  path.startsWith('/api/v1/admin/') ? fixtures.adminKey : fixtures.key;

/** No probe reads more of a body than this. Downloads may be larger than a string. */
const MAX_TEXT_LENGTH = 50_000_000;

/** Returns the start of the body and its length, up to the first event of an event stream, which may be endless. */
async function readBody(
  response: Response,
  method: string,
): Promise<{ readonly text: string; readonly length: number }> {
  const isEventStream =
    method === 'GET' && response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let text = '';
  let length = 0;
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    length += part.length;
    if (text.length < MAX_TEXT_LENGTH) text += part;
    if (isEventStream && text.includes('\n\n')) break;
  }
  return { text, length };
}
