// Lists the charges of a workspace by day, node type and workflow, and the daily budgets of its workflows.
import type { Tx } from './db.ts';
import { all, matches, type PageRange } from './rows.ts';

interface Period {
  readonly workspace: string;
  readonly from: Date;
}

const CHARGES = `from credit_entries c where c.workspace = $1 and c.kind = 'charge' and c.created_at >= $2`;

/** Lists the charges by UTC day. Days without charges are absent. */
export function listSpendingByDay(
  tx: Tx,
  { workspace, from }: Period,
): Promise<readonly { readonly date: string; readonly credits: number }[]> {
  return all(
    tx,
    `select to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD') as date, sum(c.amount)::bigint as credits
     ${CHARGES} group by 1`,
    [workspace, from],
  );
}

/** Lists the most expensive node types. A type is null if it was charged before types were recorded. */
export function listSpendingByType(
  tx: Tx,
  { workspace, from }: Period,
  limit: number,
): Promise<
  readonly { readonly node_type: string | null; readonly credits: number; readonly charges: number }[]
> {
  return all(
    tx,
    `select c.node_type, sum(c.amount)::bigint as credits, count(*)::int as charges
     ${CHARGES} group by 1 order by credits desc, c.node_type limit $3`,
    [workspace, from, limit],
  );
}

/** Lists the most expensive sources: workflows, and apps of others. The name of an app or a deleted workflow is null. */
export function listSpendingBySource(
  tx: Tx,
  { workspace, from }: Period,
  limit: number,
): Promise<readonly { readonly id: string; readonly name: string | null; readonly credits: number }[]> {
  return all(
    tx,
    `select s.id, w.name, s.credits from (
       select c.workflow_id as id, sum(c.amount)::bigint as credits
       ${CHARGES} and c.workflow_id is not null group by 1 order by credits desc, id limit $3) s
     left join workflows w on w.id = s.id and w.deleted_at is null order by s.credits desc, s.id`,
    [workspace, from, limit],
  );
}

export interface BudgetRow {
  readonly id: string;
  readonly name: string;
  readonly budget: number;
  /** Credits charged to and reserved for the workflow's runs that were accepted today (UTC). */
  readonly spent: number;
}

/** Lists the workspace's workflows with a budget, by id, after the cursor. */
export function listBudgets(
  tx: Tx,
  workspace: string,
  page: PageRange<string>,
): Promise<readonly BudgetRow[]> {
  return all(
    tx,
    `${BUDGETS}
     where coalesce(w.team_id, 'user:' || w.user_id) = $1 and w.daily_credit_budget is not null
       and w.deleted_at is null and ($2::text is null or w.id > $2)
     order by w.id limit $3`,
    [workspace, page.after, page.limit],
  );
}

/** Lists the workflows of a team, with or without a budget, by id, after the cursor. */
export function listTeamWorkflowBudgets(
  tx: Tx,
  teamId: string,
  page: PageRange<string>,
): Promise<readonly (Omit<BudgetRow, 'budget'> & { readonly budget: number | null })[]> {
  return all(
    tx,
    `${BUDGETS} where w.team_id = $1 and w.deleted_at is null and ($2::text is null or w.id > $2) order by w.id limit $3`,
    [teamId, page.after, page.limit],
  );
}

const BUDGETS = `
  select w.id, w.name, w.daily_credit_budget as budget, coalesce((
    select sum(r.charged + r.held) from run_credits r
    where r.workflow_id = w.id and r.created_at >= date_trunc('day', now(), 'UTC')), 0)::bigint as spent
  from workflows w`;

/** Sets the daily budget of a team's workflow. Returns false if the team has no such workflow. */
export function updateTeamWorkflowBudget(
  tx: Tx,
  teamId: string,
  workflowId: string,
  budget: number | null,
): Promise<boolean> {
  return matches(
    tx,
    `update workflows set daily_credit_budget = $3, updated_at = now()
     where id = $2 and team_id = $1 and deleted_at is null`,
    [teamId, workflowId, budget],
  );
}
