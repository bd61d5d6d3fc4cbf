// Lists all teams with their credits, and reads and sets the budgets of teams and their workflows, for administrators.
import { type Static, Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { recordAudit, recordRead } from '../../store/audit/record-audit.ts';
import { setDailyBudget } from '../../store/credits.ts';
import { type InstanceTeam, listInstanceTeams } from '../../store/overview.ts';
import { listTeamWorkflowBudgets, updateTeamWorkflowBudget } from '../../store/spending.ts';
import { teamExists } from '../../store/teams.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { byId, PageQuery, PageSchema, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { Exact, Id, Named, Nullable, Timestamp } from '../schema.ts';
import { getMonthStart } from './overview.ts';

export const InstanceTeamsQuery = Type.Object({
  query: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name' })),
  ...PageQuery.properties,
});

export const InstanceTeamPage = PageSchema(
  Named('InstanceTeam', 'A team, as administrators see it', {
    id: Type.String(),
    name: Type.String(),
    members: Type.Integer(),
    owners: Type.Array(Type.String(), { description: 'Names of up to three owners' }),
    credits: Type.Object({ balance: Type.Integer(), held: Type.Integer() }),
    spentThisMonth: Type.Integer({ description: 'Credits charged this month (UTC)' }),
    dailyCreditBudget: Nullable(
      Type.Integer({ description: 'The maximum cost of all its runs in a UTC day; null for no budget' }),
    ),
    spentToday: Type.Integer({ description: 'Charged and reserved for runs accepted today (UTC)' }),
    createdAt: Timestamp,
  }),
);

/** Lists all teams. Throws 401 without the scope `instance:admin`. */
export async function listAllTeams(
  deps: Pick<Deps, 'db' | 'now'>,
  actor: Actor,
  query: Static<typeof InstanceTeamsQuery>,
) {
  await recordRead(deps.db, requireScope(actor, 'instance:admin'), { what: 'the list of teams' });
  const month = getMonthStart(deps.now());
  return readPage(
    query,
    byId('team'),
    page => listInstanceTeams(deps.db, query.query ?? null, month, page),
    presentTeam,
  );
}

const presentTeam = ({ balance, held, spent, daily_budget, ...team }: InstanceTeam) => ({
  ...presentColumns(team, 'id name members owners'),
  credits: { balance, held },
  spentThisMonth: spent,
  dailyCreditBudget: daily_budget,
  ...presentColumns(team, 'spent_today created_at'),
});

export const TeamParams = Type.Object({ teamId: Id('Team ID, `team_…`') });
export const TeamWorkflowParams = Type.Object({
  ...TeamParams.properties,
  workflowId: Id('Workflow ID, `wf_…`'),
});
export const TeamBudgetBody = Exact({
  dailyCreditBudget: Nullable(
    Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Credits per UTC day; null: no budget' }),
  ),
});

export const TeamBudgetPage = PageSchema(
  Named('TeamBudget', 'A workflow of a team, with its daily budget', {
    workflowId: Type.String(),
    name: Type.String(),
    dailyCreditBudget: Nullable(Type.Integer()),
    spentToday: Type.Integer({ description: 'Charged and reserved for runs accepted today (UTC)' }),
  }),
);

/** Lists the workflows of a team with their budgets. Throws 404. */
export async function listTeamBudgetPage(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  teamId: string,
  query: PageQuery,
) {
  const admin = requireScope(actor, 'instance:admin');
  await requireTeam(db, teamId);
  await recordRead(db, admin, { what: 'the budgets of a team', target: teamId, teamId });
  return readPage(
    query,
    byId('workflow'),
    page => listTeamWorkflowBudgets(db, teamId, page),
    ({ id, name, budget, spent }) => ({
      workflowId: id,
      name,
      dailyCreditBudget: budget,
      spentToday: spent,
    }),
  );
}

/** Sets the daily budget of a team's workflow. Throws 404. */
export async function setTeamWorkflowBudget(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  { teamId, workflowId }: Static<typeof TeamWorkflowParams>,
  { dailyCreditBudget }: Static<typeof TeamBudgetBody>,
): Promise<void> {
  const admin = requireScope(actor, 'instance:admin');
  await db.transaction(async tx => {
    if (!(await updateTeamWorkflowBudget(tx, teamId, workflowId, dailyCreditBudget)))
      throw new AppError('not_found', 'The team has no such workflow.');
    recordAudit(tx, admin, {
      action: 'budget.changed',
      target: workflowId,
      teamId,
      after: { dailyCreditBudget },
    });
  });
}

/** Sets the daily budget that all workflows of a team share. Throws 404. */
export async function setWholeTeamBudget(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  teamId: string,
  { dailyCreditBudget }: Static<typeof TeamBudgetBody>,
): Promise<void> {
  const admin = requireScope(actor, 'instance:admin');
  await requireTeam(db, teamId);
  await db.transaction(async tx => {
    await setDailyBudget(tx, teamId, dailyCreditBudget);
    recordAudit(tx, admin, {
      action: 'budget.changed',
      target: teamId,
      teamId,
      after: { dailyCreditBudget },
    });
  });
}

async function requireTeam(tx: Deps['db'], teamId: string): Promise<void> {
  if (!(await teamExists(tx, teamId))) throw new AppError('not_found', 'Team not found.');
}
