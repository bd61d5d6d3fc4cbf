// Reads a workspace's credits and ledger, and grants credits. 1 credit is 0.01 USD of cost.

import { type Static, Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { recordAudit, recordRead } from '../../store/audit/record-audit.ts';
import type { EntryRow } from '../../store/credits.ts';
import { getPool, grant, listEntries } from '../../store/credits.ts';
import { findSpentThisMonth } from '../../store/spenders.ts';
import { findMember, teamExists } from '../../store/teams.ts';
import { findUser } from '../../store/users.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import type { Actor } from '../accounts/actor.ts';
import { requireScope } from '../accounts/actor.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { byNumber, PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { Exact, PositiveInteger } from '../schema.ts';

const MAX_GRANT = 1_000_000_000_000;

export const GrantBody = Exact({
  userId: Type.Optional(PositiveInteger()),
  teamId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  amount: Type.Integer({
    minimum: -MAX_GRANT,
    maximum: MAX_GRANT,
    description: 'Credits to grant; a negative number revokes credits',
  }),
  note: Type.String({ minLength: 1, maxLength: 500 }),
});
export type GrantBody = Static<typeof GrantBody>;

export const LedgerQuery = Type.Object({
  userId: Type.Optional(PositiveInteger()),
  teamId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  ...PageQuery.properties,
});
export type LedgerQuery = Static<typeof LedgerQuery>;

/** Returns the balance of the caller's active workspace and a page of its ledger, newest first. */
export async function readCredits(deps: Deps, actor: Actor, query: PageQuery) {
  const user = requireScope(actor, 'account:admin');
  const { team_id } = await getActiveWorkspace(deps.db, user);
  const workspace = team_id ?? getPersonalWorkspaceId(user.userId);
  const [pool, member, spentThisMonth] = await Promise.all([
    readPool(deps, workspace, query),
    team_id === null ? undefined : findMember(deps.db, team_id, user.userId),
    findSpentThisMonth(deps.db, workspace, user.userId),
  ]);
  return {
    teamId: team_id,
    ...pool,
    own: { monthlyCredits: member?.monthly_credits ?? null, spentThisMonth },
  };
}

/**
 * Returns the balance and ledger of a user or a team for an administrator. Default: those of the administrator. Throws
 * 404 if the user or team does not exist.
 */
export async function readCreditsForAdmin(
  deps: Pick<Deps, 'db'>,
  actor: Actor,
  { userId, teamId, ...query }: LedgerQuery,
) {
  const admin = requireScope(actor, 'instance:admin');
  const isOwn = userId === undefined && teamId === undefined;
  const workspace = await getWorkspaceByRef(deps, isOwn ? admin : { userId, teamId });
  if (!isOwn)
    await recordRead(deps.db, admin, { what: 'the credits of a workspace', target: workspace, teamId });
  return { teamId: teamId ?? null, ...(await readPool(deps, workspace, query)) };
}

async function readPool(deps: Pick<Deps, 'db'>, workspace: string, query: PageQuery) {
  const entries = readPage(
    query,
    byNumber('id', Number.MAX_SAFE_INTEGER),
    page => listEntries(deps.db, workspace, page),
    presentEntry,
  );
  const [pool, { data, nextCursor }] = await Promise.all([getPool(deps.db, workspace), entries]);
  return { balance: pool.balance, held: pool.held, entries: data, nextCursor };
}

const presentEntry = (entry: EntryRow) =>
  presentColumns(entry, 'id kind amount execution_id workflow_id node_id note created_at');

/**
 * Grants credits to a user or a team; a negative amount revokes credits. Throws 404 if the user or team does not exist,
 * 409 if the balance is lower than the amount to revoke.
 */
export async function grantCredits(deps: Pick<Deps, 'db'>, actor: Actor, input: GrantBody) {
  const admin = requireScope(actor, 'instance:admin');
  if (input.amount === 0) throw new AppError('invalid_request', 'amount must not be 0.');
  const workspace = await getWorkspaceByRef(deps, input);
  await deps.db.transaction(async tx => {
    if (!(await grant(tx, workspace, input.amount, input.note)))
      throw new AppError('conflict', 'The balance is lower than the amount to revoke.');
    recordAudit(tx, admin, {
      action: input.amount > 0 ? 'credits.granted' : 'credits.revoked',
      target: workspace,
      teamId: input.teamId,
      after: { credits: Math.abs(input.amount), note: input.note },
    });
  });
  return { workspace, ...(await getPool(deps.db, workspace)) };
}

async function getWorkspaceByRef(
  { db }: Pick<Deps, 'db'>,
  { userId, teamId }: { readonly userId?: number | undefined; readonly teamId?: string | undefined },
): Promise<string> {
  if ((userId === undefined) === (teamId === undefined)) {
    throw new AppError('invalid_request', 'Send either userId or teamId to identify the account.');
  }
  if (teamId !== undefined) {
    if (!(await teamExists(db, teamId))) throw new AppError('not_found', 'Team not found.');
    return teamId;
  }
  if ((await findUser(db, userId as number)) === undefined) {
    throw new AppError('not_found', 'User not found.');
  }
  return getPersonalWorkspaceId(userId as number);
}
