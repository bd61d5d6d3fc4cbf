// Lists the origins of runs that no request started: batches, schedules, triggers and apps.
import type { Tx } from './db.ts';
import { firstValue } from './rows.ts';

export interface OriginKind {
  /** The prefix of ids of this kind (lib/ids.ts). */
  readonly prefix: string;
  /** The job to queue with the origin's id whenever one of its runs ends. */
  readonly task: 'batch' | 'automation' | 'app';
  /** The names of `origin_id` and `origin_key` in the API's executions. */
  readonly idMember: string;
  readonly keyMember?: string;
  /** Whether only a request of the user as whom its runs start creates the origin, with the version that they run. */
  readonly isByHand?: boolean;
}

const ORIGINS: readonly OriginKind[] = [
  { prefix: 'bat', task: 'batch', idMember: 'batchId', keyMember: 'rowKey', isByHand: true },
  { prefix: 'sch', task: 'automation', idMember: 'scheduleId' },
  { prefix: 'trg', task: 'automation', idMember: 'triggerId' },
  { prefix: 'app', task: 'app', idMember: 'appId' },
];

/** Returns the kind of the origin with this id. */
export const findOriginKind = (id: string): OriginKind | undefined =>
  ORIGINS.find(({ prefix }) => id.startsWith(`${prefix}_`));

/** Returns an SQL expression for the task of the origin whose id is in the column, which is null without an origin. */
export function buildOriginTaskSql(column: string): string {
  const cases = ORIGINS.map(({ prefix, task }) => `when '${prefix}' then '${task}'`);
  return `case split_part(${column}, '_', 1) ${cases.join(' ')} end`;
}

/** The maximum number of runs that continue each other and still count as started by hand. */
const MAX_RESUMED = 1000;

/**
 * Returns whether the user started the execution by hand: by a request, or as a row of a batch that the user created. A
 * resumed execution keeps the inputs and config of the earlier one, so the user must have started that by hand too.
 */
export async function isStartedByHand(tx: Tx, executionId: string, userId: number): Promise<boolean> {
  const prefixes = ORIGINS.filter(({ isByHand }) => isByHand).map(({ prefix }) => prefix);
  const isByHand = await firstValue<boolean>(
    tx,
    `with recursive chain as (
       select e.user_id, e.origin_id, e.trigger, e.resumed_from_id, 1 as length from executions e where e.id = $1
       union all
       select e.user_id, e.origin_id, e.trigger, e.resumed_from_id, c.length + 1
       from chain c join executions e on e.id = c.resumed_from_id
       where c.trigger = 'resume' and c.length < ${MAX_RESUMED}
     )
     select bool_and(user_id = $2 and (origin_id is null or split_part(origin_id, '_', 1) = any($3)))
       and bool_or(trigger <> 'resume') from chain`,
    [executionId, userId, prefixes],
  );
  return isByHand === true;
}
