// Inserts up to millions of executions of one user with SQL, over 90 days.
import type { Tx } from '../../../src/store/db.ts';

export interface ManyExecutions {
  readonly count: number;
  readonly userId: number;
  /** One in ten executions belongs to the second workflow, the others to the first. */
  readonly workflowIds: readonly [string, string];
  /** The creation time of the last execution. The intervals between executions are equal. */
  readonly endMs: number;
}

export const SPAN_MS = 90 * 86_400_000;

/**
 * Inserts the executions. Of 5,000, five are FAILED, one is CANCELLED, and the others are COMPLETED. One in ten has the
 * idempotency key `key-<n>`, where n is its number, starting at 0.
 */
export async function insertManyExecutions(tx: Tx, many: ManyExecutions): Promise<void> {
  await tx.query(
    `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request, nodes_total,
       nodes_done, seq, lease, idempotency_key, created_at, started_at, finished_at)
     select 'ex_' || (select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (ms >> (5 * place) & 31)::int + 1, 1), ''
         order by place desc) from generate_series(0, 9) place) || lpad(n::text, 16, '0'),
       case when n % 10 = 0 then $4 else $3 end, 1, $2::int, 'user:' || $2::int,
       case when n % 5000 = 7 then 'CANCELLED' when n % 1000 = 3 then 'FAILED' else 'COMPLETED' end, 'api',
       '{"inputs":{}}', 1, 1, 2, 1, case when n % 10 = 5 then 'key-' || n end, at, at, at
     from (select n, $5::bigint - ($1::bigint - 1 - n) * ($6::bigint / $1::bigint) as ms from generate_series(0, $1::bigint - 1) n) s
       cross join lateral (select to_timestamp(ms / 1000.0) as at) t`,
    [many.count, many.userId, ...many.workflowIds, many.endMs, SPAN_MS],
  );
}
