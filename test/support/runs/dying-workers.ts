// Sets up tests in which workers die during a run of two requests to the test's receiver.
import type { ServerResponse } from 'node:http';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { type Receiver, startReceiver } from '../network/receiver.ts';
import { waitUntil } from '../processes.ts';
import { toDatabaseUrl } from '../service.ts';
import { edge, node } from '../workflows.ts';

export interface TakeoverSetup {
  readonly receiver: Receiver;
  readonly db: TestDatabase['db'];
  /** Settings of every service in the setup. */
  readonly env: NodeJS.ProcessEnv;
  /** The open responses to requests of the node `second`. */
  readonly hanging: ServerResponse[];
  /** Counts the requests for a path. */
  count(path: string): number;
  /** Waits until the completion of the node is stored, because the node would otherwise be executed again. */
  waitUntilStored(executionId: string, nodeId: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver that responds to all requests except those of the node `second`, to which the test responds. */
export async function startTakeoverSetup(): Promise<TakeoverSetup> {
  const receiver = await startReceiver();
  const { db, connection, drop } = await createTestDatabase();
  const hanging: ServerResponse[] = [];
  receiver.answer((res, { path }) => {
    if (path.endsWith('/second')) hanging.push(res);
    else res.writeHead(200).end('ok');
  });
  return {
    receiver,
    db,
    hanging,
    env: {
      DATABASE_URL: toDatabaseUrl(connection),
      ALLOW_PRIVATE_NETWORK: 'true',
      WEBHOOK_BACKOFF_BASE_MS: '100',
    },
    count: path => receiver.received.filter(item => item.path === path).length,
    waitUntilStored: (executionId, nodeId) =>
      waitUntil(`${nodeId} of ${executionId} to be stored`, async () => {
        const { rows } = await db.query<{ steps: string }>(
          'select steps from execution_steps where execution_id = $1',
          [executionId],
        );
        const steps = rows.flatMap(row => JSON.parse(row.steps) as { nodeId: string; status: string }[]);
        return steps.some(step => step.nodeId === nodeId && step.status === 'COMPLETED');
      }),
    close: async () => {
      await drop();
      await receiver.close();
    },
  };
}

/** Creates a graph whose nodes `first` and `second` send a request each. */
export const twoSteps = (url: string) => ({
  nodes: [
    node('first', 'utility:http_request', { url: `${url}/first` }),
    node('second', 'utility:http_request', { method: 'POST', timeoutMs: 120_000, url: `${url}/second` }),
    node('end', 'output:preview'),
  ],
  edges: [edge('first.text > second.body'), edge('second.text > end.input')],
});
