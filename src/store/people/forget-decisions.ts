// Removes the name and email of a deleted account from the decisions that it made, and from approvals that were asked of it.
import type { Tx } from '../db.ts';
import { all } from '../rows.ts';

interface NamedDecisions {
  /** JSON text of who decided, as it is stored in approvals, runs and node states. */
  readonly by: string;
  readonly ids: readonly string[];
  readonly execution_ids: readonly string[];
}

/** Call it before the account gets its new name and email. */
export async function forgetDecisions(tx: Tx, userId: number): Promise<void> {
  for (const { by, ids, execution_ids } of await listNamedDecisions(tx, userId)) {
    const { via } = JSON.parse(by) as { readonly via: string };
    const texts = [by, JSON.stringify({ via, userId, name: 'Deleted user' })];
    await tx.query('update approvals set decision = replace(decision, $2, $3) where id = any ($1::text[])', [
      ids,
      ...texts,
    ]);
    await tx.query(
      `update executions set decisions = replace(decisions, $2, $3)
       where id = any ($1::text[]) and strpos(decisions, $2) > 0`,
      [execution_ids, ...texts],
    );
    await tx.query(
      `update execution_steps set steps = replace(steps, $2, $3)
       where execution_id = any ($1::text[]) and strpos(steps, $2) > 0`,
      [execution_ids, ...texts],
    );
  }
  await tx.query(
    `update approval_assignees a set email = 'deleted-' || u.id || '@deleted.invalid' from users u
     where u.id = $1 and lower(a.email) = lower(u.email)`,
    [userId],
  );
}

/** Lists the decisions by what they store about the user, who may have had other names. */
function listNamedDecisions(tx: Tx, userId: number): Promise<readonly NamedDecisions[]> {
  return all(
    tx,
    `with decided as (
       select id, execution_id, decision::json -> 'by' as by from approvals
       where strpos(decision, '"userId":' || $1::int) > 0)
     select by::text as by, array_agg(id) as ids, array_agg(distinct execution_id) as execution_ids
     from decided where by ->> 'userId' = $1::int::text group by by::text`,
    [userId],
  );
}
