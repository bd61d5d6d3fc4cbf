// Lists what may start a run besides a request, by the prefix of its id.

export interface OriginKind {
  /** The prefix of its ids (lib/ids.ts). */
  readonly prefix: string;
  /** The job that runs with its id whenever one of its runs has ended; null: nobody waits for that. */
  readonly task: 'batch' | 'automation' | 'app' | null;
  /** The members of an execution that show `origin_id` and `origin_key`. */
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

/** Returns an SQL expression: the task of a column with the id of an origin, or null. */
export function originTask(column: string): string {
  const cases = ORIGINS.filter(({ task }) => task !== null).map(
    ({ prefix, task }) => `when '${prefix}' then '${task}'`,
  );
  return `case split_part(${column}, '_', 1) ${cases.join(' ')} end`;
}
