// Sends GET requests to one URL over connections that autocannon keeps busy.
import autocannon from 'autocannon';

export interface HttpLoad {
  readonly connections: number;
  readonly isShort: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const SECONDS = 4;
/** The number of requests per connection in short mode, which measures nothing. */
const SHORT_REQUESTS = 5;

/** Throws if a request was refused or failed. */
export async function getsPerSecond(
  url: string,
  { connections, isShort, headers }: HttpLoad,
): Promise<number> {
  const result = await autocannon({
    url,
    connections,
    ...(isShort ? { amount: SHORT_REQUESTS * connections } : { duration: SECONDS }),
    ...(headers && { headers }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} responses were not 2xx, ${result.errors} requests failed.`);
  return isShort ? result.requests.total / result.duration : result.requests.average;
}
