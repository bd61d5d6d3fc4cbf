// Runs in a separate process: sends the largest requests and polls /healthz, so that its own work does not affect the
// service.
import type { BodySchema } from '../../support/http/random-body.ts';
import type { NodePort } from './nodes.ts';
import { allProbes, type Fixtures, type Probe } from './probes.ts';
import type { Route } from './routes.ts';

/** The first message has the data for the probes. Further messages are names of probes. */
export interface Setup {
  readonly fixtures: Fixtures;
  readonly nodes: readonly NodePort[];
  readonly routes: readonly Route[];
  readonly schemas: Readonly<Record<string, BodySchema>>;
}

export interface Probed {
  /** Statuses of the responses. */
  readonly statuses: readonly number[];
  /** The longest response time of /healthz. */
  readonly healthMs: number;
  readonly error?: string;
}

const HEALTH_PAUSE_MS = 20;
const TIMEOUT_MS = 120_000;

let fixtures: Fixtures;
let probes: Readonly<Record<string, Probe>> = {};

process.on('message', async (message: Setup | string) => {
  if (typeof message === 'string') {
    process.send?.(await perform(probes[message] as Probe));
    return;
  }
  ({ fixtures } = message);
  probes = allProbes(message);
  process.send?.('ready');
});

async function perform(probe: Probe): Promise<Probed> {
  let healthMs = 0;
  let isOver = false;
  const statuses: number[] = [];
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const beginMs = performance.now();
      await (await fetch(`${fixtures.url}/healthz`)).text();
      healthMs = Math.max(healthMs, performance.now() - beginMs);
      await new Promise(resolve => setTimeout(resolve, HEALTH_PAUSE_MS));
    }
  };
  const sendRequest = async (method: string, path: string, body?: unknown, key = fixtures.key) => {
    const response = await fetch(fixtures.url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        accept: 'application/json, text/event-stream, text/html;q=0.9',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await readText(response, method);
    statuses.push(response.status);
    return { status: response.status, text };
  };
  try {
    const send = await probe(fixtures, sendRequest);
    statuses.length = 0;
    process.send?.('ready');
    const watching = watch();
    await send().finally(() => {
      isOver = true;
    });
    await watching;
    return { statuses, healthMs };
  } catch (err) {
    return { statuses, healthMs, error: String((err as Error).stack) };
  }
}

/** Returns the first event of an endless stream. */
async function readText(response: Response, method: string): Promise<string> {
  const isEndless =
    method === 'GET' && response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isEndless || response.body === null) return response.text();
  let text = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes('\n\n')) break;
  }
  return text;
}
