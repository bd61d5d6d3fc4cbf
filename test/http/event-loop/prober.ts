// The process that sends the largest requests, and meanwhile asks for /healthz: its own work is not the service's.
import { type NodePort, nodeProbes, PROBES, type Probe, type World } from './probes.ts';

/** A probe by its name, of those that are written out and those of the nodes. */
export interface Asked {
  readonly probe: string;
  readonly world: World;
  readonly nodes: readonly NodePort[];
}

export interface Answered {
  /** Of the requests. */
  readonly statuses: readonly number[];
  /** The longest that /healthz took. */
  readonly healthMs: number;
  readonly error?: string;
}

const HEALTH_PAUSE_MS = 5;

process.on('message', async ({ probe, world, nodes }: Asked) => {
  const all = { ...PROBES, ...nodeProbes(nodes) };
  process.send?.(await perform(all[probe] as Probe, world));
});

async function perform(probe: Probe, world: World): Promise<Answered> {
  let healthMs = 0;
  let isOver = false;
  const statuses: number[] = [];
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const beginMs = performance.now();
      await (await fetch(`${world.url}/healthz`)).text();
      healthMs = Math.max(healthMs, performance.now() - beginMs);
      await new Promise(resolve => setTimeout(resolve, HEALTH_PAUSE_MS));
    }
  };
  const ask = async (method: string, path: string, body?: unknown, key = world.key) => {
    const answer = await fetch(world.url + path, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        accept: 'application/json, text/event-stream, text/html;q=0.9',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    statuses.push(answer.status);
    return { status: answer.status, text };
  };
  const send = await probe(world, ask);
  process.send?.('ready');
  const watching = watch();
  try {
    await send();
    return { statuses, healthMs };
  } catch (err) {
    return { statuses, healthMs, error: String((err as Error).stack) };
  } finally {
    isOver = true;
    await watching;
  }
}
