// Sends GET requests to one URL over connections that autocannon keeps busy.
import autocannon from 'autocannon';

export interface HttpLoadOptions {
  readonly connections: number;
  readonly isShort: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const SECONDS = 4;
const SHORT_REQUESTS_PER_CONNECTION = 5;

/** Returns the responses per second. Throws if a request was refused or failed. */
export async function measureGetsPerSecond(
  url: string,
  { connections, isShort, headers }: HttpLoadOptions,
): Promise<number> {
  const result = await autocannon({
    url,
    connections,
    ...(isShort ? { amount: SHORT_REQUESTS_PER_CONNECTION * connections } : { duration: SECONDS }),
    ...(headers && { headers }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} responses were not 2xx, ${result.errors} requests failed.`);
  return isShort ? result.requests.total / result.duration : result.requests.average;
}
