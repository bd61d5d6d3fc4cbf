// Starts a service with doubles of paid providers, and users with credit pools.
import { after, afterEach, before, beforeEach } from 'node:test';
import type { Client, Execution } from '../client.ts';
import { plainImage } from '../media/pixels.ts';
import { waitUntil } from '../processes.ts';
import { type FalDouble, startFal } from '../providers/fal.ts';
import { type OpenAiDouble, startOpenAi } from '../providers/openai.ts';
import { startTestService, type TestService } from '../service.ts';
import { edge, node } from '../workflows.ts';
import { assertLedgerBalanced } from './ledger.ts';

export const MODEL = 'generate:fal_seedream';
/** Credits for one call of the model. */
export const PRICE = 3;
/** The payment fields of an estimate for one call of the model. */
export const PAYER = {
  paidBy: 'credits',
  credentialId: 'cred_environment_fal',
  costUsd: PRICE / 100,
} as const;

export type PaidExecution = Execution & {
  readonly credits: {
    readonly estimated: number;
    readonly held: number;
    readonly charged: number;
    readonly released: number;
  };
};
export interface Pool {
  readonly balance: number;
  readonly held: number;
  readonly entries: readonly {
    readonly kind: string;
    readonly amount: number;
    readonly nodeId: string | null;
  }[];
}

export const modelNode = (id: string, config: object = {}) =>
  node(id, MODEL, { prompt: `a fox named ${id}`, ...config });
/** Creates a graph of one model and a preview. */
export const modelGraph = (config: object = {}) => ({
  nodes: [modelNode('m', config), node('end', 'output:preview')],
  edges: [edge('m.image > end.input')],
});
/** Creates a graph that calls a model for each text of a list. */
export const mappedGraph = (texts: readonly string[]) => ({
  nodes: [node('list', 'input:list', { items: texts }), node('m', MODEL)],
  edges: [edge('list.list > m.prompt')],
});
/** Creates a graph like `mappedGraph`, in which the length of the list is known only during the run. */
export const lateMappedGraph = (texts: readonly string[]) => ({
  nodes: [
    node('list', 'input:list', { items: texts }),
    node('late', 'logic:delay', { ms: 0 }),
    node('m', MODEL),
  ],
  edges: [edge('list.list > late.input'), edge('late.output > m.prompt')],
});

export interface PaidService {
  readonly service: TestService;
  readonly fal: FalDouble;
  readonly openai: OpenAiDouble;
  /** Creates a user with that many credits. */
  newUser(credits: number, plan?: string): Promise<Client>;
  /** Makes the doubles respond successfully and without delay again. */
  reset(): void;
  close(): Promise<void>;
}

export async function startPaidService(
  settings: Readonly<Record<string, string>> = {},
): Promise<PaidService> {
  const file = await plainImage(8, 8, '#336699');
  const [fal, openai] = [await startFal(file), await startOpenAi(file)];
  const service = await startTestService({
    FAL_KEY: 'fal-key',
    FAL_BASE_URL: fal.url,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: `${openai.url}/v1`,
    ...settings,
  });
  return {
    service,
    fal,
    openai,
    newUser: (credits, plan = 'self_hosted') =>
      service.createUser({
        plan,
        credits,
        keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'],
      }),
    reset() {
      fal.clearFaults();
      openai.clearFaults();
      fal.polls = 0;
      fal.ignoresCancel = false;
      fal.result = { status: 200, body: { images: [{ url: `${fal.url}/files/a.png` }] } };
    },
    async close() {
      await service.close();
      await fal.close();
      await openai.close();
    },
  };
}

/**
 * Starts the service for all tests of a file or suite. Resets the doubles before each test, and checks the ledger after
 * each. If the service needs other servers, `settings` is a function that starts them, because other `before` hooks of a
 * file run concurrently.
 */
export function setUpPaidService(
  settings: Readonly<Record<string, string>> | (() => Promise<Readonly<Record<string, string>>>) = {},
): PaidService {
  const paid = {} as PaidService;
  before(async () => {
    Object.assign(paid, await startPaidService(typeof settings === 'function' ? await settings() : settings));
  });
  after(() => paid.close());
  beforeEach(() => paid.reset());
  afterEach(() => assertLedgerBalanced(paid.service.db));
  return paid;
}

/** Makes fal work until its polls are reset in a test, and waits after each test until no call is left. */
export function keepCallsActive(getPaid: () => PaidService): void {
  beforeEach(() => {
    const { fal } = getPaid();
    fal.polls = 1e9;
    fal.accepted.length = 0;
    fal.cancelled.length = 0;
  });
  afterEach(async () => {
    getPaid().fal.clearFaults();
    await waitUntil('no call to be left', async () => (await countRows(getPaid(), 'calls')) === 0);
  });
}

/** Creates a team of the user with the given credits, and a folder in its workspace. */
export async function createPaidTeam(
  { service }: Pick<PaidService, 'service'>,
  user: Client,
  amount: number,
): Promise<{ readonly teamId: string; readonly folderId: string }> {
  const team = await user.request<{ id: string }>('POST', '/teams', { name: 'Studio' });
  const teamId = team.body.id;
  await service.request('POST', '/admin/credits', { teamId, amount, note: 'for the team' });
  const folder = await user.request<{ id: string }>('POST', '/folders', { name: 'Shared', teamId });
  return { teamId, folderId: folder.body.id };
}

/** Counts the rows of a table, or of a table with a condition such as `calls where item > 0`. */
export async function countRows({ service }: Pick<PaidService, 'service'>, from: string): Promise<number> {
  const { rows } = await service.db.query<{ count: number }>(`select count(*) from ${from}`);
  return rows[0]?.count ?? 0;
}

/** Waits until the run's call is stored and no worker executes the run. */
export const waitForSuspension = ({ service }: Pick<PaidService, 'service'>, id: string): Promise<void> =>
  waitUntil('the run to wait for its call', async () => {
    const { rows } = await service.db.query(
      'select from executions e join calls c on c.execution_id = e.id where e.id = $1 and e.worker_id is null',
      [id],
    );
    return rows.length > 0;
  });

/**
 * Runs a graph whose call does not end until the run's time limit. Repeats the run with a longer limit if the limit passed
 * before the call was submitted, which happens on a busy machine.
 */
export async function runPastLimit(
  paid: Pick<PaidService, 'fal'>,
  user: Client,
  graph: object,
  limitMs = 1500,
): Promise<PaidExecution> {
  const acceptedCountBefore = paid.fal.accepted.length;
  const record = await runPaid(user, graph, { timeoutMs: limitMs });
  if (paid.fal.accepted.length > acceptedCountBefore || limitMs > 60_000) return record;
  return runPastLimit(paid, user, graph, limitMs * 4);
}

export const readPool = async (user: Client): Promise<Pool> =>
  (await user.request<Pool>('GET', '/credits?limit=200')).body;

export const readBalance = async (user: Client): Promise<readonly [balance: number, held: number]> => {
  const { balance, held } = await readPool(user);
  return [balance, held];
};

/** Stores the graph and runs it until it ends. */
export const runPaid = async (user: Client, graph: object, body: object = {}): Promise<PaidExecution> =>
  (await user.runWorkflow(await user.createWorkflow(graph), body)) as PaidExecution;
