// Reports the spending of the active workspace by day, model and workflow, and the budgets of its workflows.
import { type Static, Type } from 'typebox';
import { listCredentialSpending } from '../../store/credential-charges.ts';
import {
  type BudgetRow,
  listBudgets,
  listSpendingByDay,
  listSpendingBySource,
  listSpendingByType,
} from '../../store/spending.ts';
import { getWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { byId, type PageQuery, PageSchema, readPage } from '../paging.ts';
import { Named, Nullable } from '../schema.ts';

const DAY_MS = 86_400_000;
const MAX_TYPES = 100;
const MAX_WORKFLOWS = 20;
const MAX_CREDENTIALS = 100;

export const SpendingQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'Number of days up to today (UTC)' }),
  ),
});
export type SpendingQuery = Static<typeof SpendingQuery>;

const Credits = Type.Integer();
export const SpendingResponse = Named('Spending', 'Charges, in credits', {
  teamId: Nullable(Type.String()),
  from: Type.String({ format: 'date', description: 'The first day (UTC)' }),
  to: Type.String({ format: 'date', description: 'Today (UTC)' }),
  total: Credits,
  days: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), credits: Credits }), {
    description: 'One entry per day, oldest first',
  }),
  models: Type.Array(
    Type.Object({
      nodeType: Nullable(Type.String({ description: 'Null for charges made before the type was recorded' })),
      label: Nullable(Type.String({ description: 'Null if the type is not in the catalog' })),
      credits: Credits,
      charges: Type.Integer(),
    }),
    { description: 'Most expensive first' },
  ),
  workflows: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Nullable(Type.String({ description: 'Null if the workflow was deleted' })),
      credits: Credits,
    }),
    { description: 'The 20 most expensive workflows' },
  ),
  credentials: Type.Array(
    Type.Object({
      credentialId: Type.String(),
      name: Type.String(),
      kind: Type.String(),
      costUsd: Type.Number({ description: 'The known cost of its calls, in USD' }),
      calls: Type.Integer(),
      unpricedCalls: Type.Integer({ description: 'Calls of unknown cost' }),
    }),
    { description: "Calls that were billed to the workspace's own credentials and cost no credits" },
  ),
});

/** Returns the spending of the active workspace. Throws 401 without the scope `account:admin`. */
export async function readSpending(deps: Deps, actor: Actor, { days: dayCount = 30 }: SpendingQuery) {
  const user = requireScope(actor, 'account:admin');
  const active = await getActiveWorkspace(deps.db, user);
  const dates = Array.from({ length: dayCount }, (_, index) =>
    new Date(deps.now() - (dayCount - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const [from = '', to = ''] = [dates[0], dates.at(-1)];
  const period = { workspace: getWorkspaceId(active), from: new Date(from) };
  const [days, types, workflows, credentials] = await Promise.all([
    listSpendingByDay(deps.db, period),
    listSpendingByType(deps.db, period, MAX_TYPES),
    listSpendingBySource(deps.db, period, MAX_WORKFLOWS),
    listCredentialSpending(deps.db, period, MAX_CREDENTIALS),
  ]);
  const byDate = new Map(days.map(({ date, credits }) => [date, credits]));
  return {
    teamId: active.team_id,
    from,
    to,
    total: days.reduce((sum, { credits }) => sum + credits, 0),
    days: dates.map(date => ({ date, credits: byDate.get(date) ?? 0 })),
    models: types.map(({ node_type: nodeType, credits, charges }) => ({
      nodeType,
      label: nodeType === null ? null : (deps.catalog.find(nodeType)?.label ?? null),
      credits,
      charges,
    })),
    workflows,
    credentials: credentials.map(({ credential_id, name, kind, usd, calls, unpriced_calls }) => ({
      credentialId: credential_id,
      name,
      kind,
      costUsd: usd,
      calls,
      unpricedCalls: unpriced_calls,
    })),
  };
}

export const BudgetPage = PageSchema(
  Named('Budget', 'The daily budget of a workflow, and what it has spent today (UTC)', {
    workflowId: Type.String(),
    name: Type.String(),
    dailyCreditBudget: Credits,
    spentToday: Type.Integer({ description: 'Charged and reserved for runs accepted today (UTC)' }),
  }),
);

/** Lists the workflows of the active workspace that have a budget. */
export async function listOwnBudgets(deps: Deps, actor: Actor, query: PageQuery) {
  const user = requireScope(actor, 'account:admin');
  const workspace = getWorkspaceId(await getActiveWorkspace(deps.db, user));
  return readPage(query, byId('workflow'), page => listBudgets(deps.db, workspace, page), presentBudget);
}

const presentBudget = ({ id, name, budget, spent }: BudgetRow) => ({
  workflowId: id,
  name,
  dailyCreditBudget: budget,
  spentToday: spent,
});
