// Checks the guarantees after a soak against the database, the receiver and the providers. Each check returns its
// violations.
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import type { Fleet } from './fleet.ts';
import type { Hooks } from './hooks.ts';
import type { Providers } from './providers.ts';
import type { Shape } from './shapes.ts';
import type { StartedRun } from './traffic.ts';

export interface SoakResult {
  readonly fleet: Pick<Fleet, 'db' | 'crashes' | 'dataDir'>;
  readonly providers: Providers;
  readonly hooks: Hooks;
  readonly shapes: Readonly<Record<string, Shape>>;
  readonly started: readonly StartedRun[];
}

export type Check = (result: SoakResult) => Promise<readonly string[]>;

interface RunRecord {
  readonly id: string;
  readonly status: string;
  readonly worker_id: string | null;
  readonly parked: boolean;
  readonly is_finished: boolean;
  readonly nodes_done: number;
  readonly nodes_total: number;
  readonly error: string | null;
  readonly steps: readonly RunStep[];
}

interface RunStep {
  readonly nodeId: string;
  readonly status: string;
  readonly credits?: number;
  readonly error?: { readonly code: string };
}

/** Jobs that are due within a day. Later wake-ups of runs that were decided or cancelled stay queued until they are due. */
export const DUE_JOBS =
  "(select * from graphile_worker._private_jobs where run_at < now() + interval '1 day') as due";

/** Errors with which a run that nobody cancelled may fail during the faults of a soak. */
const ALLOWED_ERRORS: ReadonlySet<string> = new Set(['provider_outcome_unknown', 'insufficient_credits']);
const MAX_DELIVERY_ATTEMPTS = 12;

export const CHECKS: Readonly<Record<string, Check>> = {
  'every accepted run ended in an allowed state': checkRuns,
  'no other run exists': checkUnknownRuns,
  'one terminal event per run': checkEvents,
  'one submission per paid node': checkSubmissions,
  'the ledger balances': checkLedger,
  'charges equal the cost of completed nodes': checkCharges,
  'the queue is empty': checkQueue,
  'no process exited unexpectedly': async ({ fleet }) => fleet.crashes,
};

async function readRuns({ fleet }: SoakResult): Promise<ReadonlyMap<string, RunRecord>> {
  const { rows } = await fleet.db.query<
    Omit<RunRecord, 'steps'> & { readonly steps: readonly string[] | null }
  >(
    `select e.id, status, worker_id, parked, finished_at is not null as is_finished, nodes_done, nodes_total, error,
       (select array_agg(s.steps order by s.seq) from execution_steps s where s.execution_id = e.id) as steps
     from executions e`,
  );
  return new Map(
    rows.map(row => {
      const steps = (row.steps ?? []).flatMap(text => JSON.parse(text) as RunStep[]);
      return [row.id, { ...row, steps: [...new Map(steps.map(step => [step.nodeId, step])).values()] }];
    }),
  );
}

const listAcceptedRuns = ({ started }: SoakResult): readonly (StartedRun & { readonly id: string })[] =>
  started.filter((run): run is StartedRun & { readonly id: string } => run.id !== undefined);

async function checkRuns(result: SoakResult): Promise<readonly string[]> {
  const rows = await readRuns(result);
  return listAcceptedRuns(result).flatMap(({ id, run, shape, cancelAfterMs }) => {
    const row = rows.get(id);
    const name = `run ${run} (${shape}, ${id})`;
    if (row === undefined) return [`${name} was accepted but does not exist`];
    if (!row.is_finished)
      return [`${name} is ${row.status}, worker: ${row.worker_id}, parked: ${row.parked}`];
    const openNodes = row.steps
      .filter(({ status }) => !ENDED_STATUSES.has(status))
      .map(({ nodeId }) => nodeId);
    const code = row.error === null ? '' : (JSON.parse(row.error) as { code: string }).code;
    const isAllowed =
      row.status === 'COMPLETED'
        ? row.nodes_done === row.nodes_total
        : row.status === 'CANCELLED'
          ? cancelAfterMs !== undefined
          : row.status === 'FAILED' && ALLOWED_ERRORS.has(code);
    return [
      ...(row.worker_id === null && !row.parked
        ? []
        : [`${name} has ended but still has a lease or waits to be resumed`]),
      ...(openNodes.length === 0 ? [] : [`${name} has ended but its nodes ${openNodes} have not`]),
      ...(isAllowed ? [] : [`${name} ended as ${row.status} ${row.error ?? ''}`]),
    ];
  });
}

const ENDED_STATUSES: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED']);

async function checkUnknownRuns(result: SoakResult): Promise<readonly string[]> {
  const knownIds = new Set(listAcceptedRuns(result).map(({ id }) => id));
  const duplicates =
    knownIds.size === listAcceptedRuns(result).length ? [] : ['two keys were answered with one execution'];
  const unknownIds = [...(await readRuns(result)).keys()].filter(id => !knownIds.has(id));
  return [...duplicates, ...unknownIds.map(id => `${id} exists but no caller received its id`)];
}

async function checkEvents(result: SoakResult): Promise<readonly string[]> {
  const { rows } = await result.fleet.db.query<{
    execution_id: string;
    event_id: string;
    body: string;
    state: string;
    attempts: number;
    status: string;
  }>(
    `select d.execution_id, d.event_id, d.body, d.state, d.attempts, e.status
     from deliveries d join executions e on e.id = d.execution_id`,
  );
  const deliveryByRun = new Map(rows.map(row => [row.execution_id, row]));
  return listAcceptedRuns(result).flatMap(({ id, run, hook }) => {
    const received = result.hooks.received.get(run) ?? [];
    const row = deliveryByRun.get(id);
    const name = `the event of run ${run} (${id})`;
    if (hook === 'none')
      return row === undefined && received.length === 0 ? [] : [`${name} was not requested`];
    if (row === undefined) return [`${name} is not in the outbox`];
    const isSameEvent = received.every(({ eventId, raw }) => eventId === row.event_id && raw === row.body);
    const matchesRun = received.every(
      ({ status, executionId }) => status === row.status && executionId === id,
    );
    const isAccepted = received.some(event => event.isAccepted);
    const isResolved =
      row.state === 'delivered'
        ? isAccepted
        : row.state === 'exhausted' && row.attempts === MAX_DELIVERY_ATTEMPTS;
    return [
      ...(isSameEvent ? [] : [`${name} was delivered with different contents`]),
      ...(matchesRun ? [] : [`${name} contradicts the run, which is ${row.status}`]),
      ...(isResolved
        ? []
        : [`${name} is ${row.state} after ${row.attempts} attempts, accepted: ${isAccepted}`]),
    ];
  });
}

async function checkSubmissions(result: SoakResult): Promise<readonly string[]> {
  const rows = await readRuns(result);
  const submissions = result.providers.submissions();
  return listAcceptedRuns(result).flatMap(({ id, run, shape }) => {
    const prompts = Object.entries(result.shapes[shape]?.prompts ?? {});
    const steps = new Map(rows.get(id)?.steps.map(step => [step.nodeId, step]));
    return prompts.flatMap(([nodeId, labels]) =>
      labels.flatMap(label => {
        const nodeSubmissions = submissions.get(`${run} ${label}`) ?? [];
        const step = steps.get(nodeId);
        const name = `node ${nodeId} (${label}) of run ${run} (${shape}, ${id}, ${step?.status ?? 'not started'})`;
        if (nodeSubmissions.length > 1)
          return [
            `${name} was submitted ${nodeSubmissions.length} times: ${nodeSubmissions.map(({ ourId }) => ourId ?? '-')}`,
          ];
        if (nodeSubmissions.length === 0 && step?.status === 'COMPLETED')
          return [`${name} was never submitted`];
        return [];
      }),
    );
  });
}

async function checkLedger({ fleet }: SoakResult): Promise<readonly string[]> {
  const violations: string[] = [];
  await assertLedgerBalanced(fleet.db).catch((err: Error) => violations.push(err.message));
  const { rows } = await fleet.db.query<{ workspace: string; held: number }>(
    'select workspace, held from credit_pools where held <> 0',
  );
  return [
    ...violations,
    ...rows.map(({ workspace, held }) => `${workspace} still has ${held} credits reserved`),
  ];
}

async function checkCharges(result: SoakResult): Promise<readonly string[]> {
  const { rows } = await result.fleet.db.query<{ execution_id: string; node_id: string; charged: number }>(
    `select execution_id, node_id, sum(amount)::int as charged from credit_entries where kind = 'charge'
     group by 1, 2`,
  );
  const charges = new Map(rows.map(row => [`${row.execution_id} ${row.node_id}`, row.charged]));
  const violations: string[] = [];
  for (const { id, steps } of (await readRuns(result)).values()) {
    for (const { nodeId, credits = 0 } of steps) {
      const charged = charges.get(`${id} ${nodeId}`) ?? 0;
      charges.delete(`${id} ${nodeId}`);
      if (charged !== credits)
        violations.push(`${nodeId} of ${id} cost ${credits} and was charged ${charged}`);
    }
  }
  return [...violations, ...[...charges.keys()].map(key => `${key} was charged but has no state`)];
}

async function checkQueue({ fleet }: SoakResult): Promise<readonly string[]> {
  const { rows } = await fleet.db.query<{ task: string; jobs: number; example: unknown }>(
    `select t.identifier as task, count(*)::int as jobs, (array_agg(due.payload))[1] as example
     from ${DUE_JOBS} join graphile_worker._private_tasks t on t.id = due.task_id
     group by 1`,
  );
  const { rows: workers } = await fleet.db.query<{ id: string }>('select id from workers');
  return [
    ...rows.map(({ task, jobs, example }) => `${jobs} jobs of ${task} remain: ${JSON.stringify(example)}`),
    ...workers.map(({ id }) => `the worker ${id} has stopped but is still registered`),
  ];
}
