// Lists the origins of runs that no request started: batches, schedules, triggers and apps.

export interface OriginKind {
  /** The prefix of ids of this kind (lib/ids.ts). */
  readonly prefix: string;
  /** The job to queue with the origin's id whenever one of its runs ends. */
  readonly task: 'batch' | 'automation' | 'app';
  /** The names of `origin_id` and `origin_key` in the API's executions. */
  readonly idMember: string;
  readonly keyMember?: string;
}

const ORIGINS: readonly OriginKind[] = [
  { prefix: 'bat', task: 'batch', idMember: 'batchId', keyMember: 'rowKey' },
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
