// Decides who may see and change the credentials of the instance and of workspaces.
import { AppError, isNotFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { type CredentialRow, findCredential } from '../../store/credentials.ts';
import type { Tx } from '../../store/db.ts';
import { canInWorkspace, getWorkspaceId, type WorkspaceAccess } from '../accounts/access.ts';
import { type Actor, hasScope, requireScope, type UserActor } from '../accounts/actor.ts';
import { getActiveWorkspace, getWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import type { OwnerType } from './credential.schema.ts';

/** The owner of credentials, and whether the caller may change them. */
export interface CredentialOwner {
  /** Null if the instance owns them. */
  readonly workspace: string | null;
  readonly canManage: boolean;
}

/** Throws 403 if the service uses only the credentials of the environment. */
export function requireCredentialsEnabled({ settings }: Pick<Deps, 'settings'>): void {
  if (settings.CREDENTIALS === 'on') return;
  throw new AppError(
    'credentials_off',
    'This service uses only the provider keys of its settings (CREDENTIALS=off). Ask the operator to change them.',
  );
}

/** Returns the owner that a request names. Throws 401 without the scope, 404 for a foreign team. */
export async function resolveOwner(
  tx: Tx,
  actor: Actor,
  { owner, teamId }: { readonly owner: OwnerType; readonly teamId?: string | undefined },
): Promise<CredentialOwner> {
  if (owner === 'instance') {
    requireScope(actor, 'instance:admin');
    return { workspace: null, canManage: true };
  }
  const user = requireScope(actor, hasScope(actor, 'account:admin') ? 'account:admin' : 'workflows:read');
  const access = await (teamId === undefined ? getActiveWorkspace(tx, user) : getWorkspace(tx, user, teamId));
  return toOwner(user, access);
}

function toOwner(user: UserActor, access: WorkspaceAccess): CredentialOwner {
  return {
    workspace: getWorkspaceId(access),
    canManage: hasScope(user, 'account:admin') && canInWorkspace(user, 'manage', access),
  };
}

/** Throws unless the caller may change the owner's credentials: 401 without the scope, 403 for other members. */
export function requireCanManage(actor: Actor, owner: CredentialOwner): void {
  if (owner.canManage) return;
  requireScope(actor, 'account:admin');
  throw new AppError('forbidden', 'Only an OWNER of the team can change its credentials.');
}

/** Returns a stored credential and its owner. Throws 404 if it does not exist or the caller may not see it. */
export async function getVisibleCredential(
  tx: Tx,
  actor: Actor,
  id: string,
  find: typeof findCredential = findCredential,
): Promise<{ readonly row: CredentialRow; readonly owner: CredentialOwner }> {
  const row = isId('credential', id) ? await find(tx, id) : undefined;
  if (row === undefined) throw createCredentialNotFoundError();
  if (row.workspace === null) {
    if (!hasScope(actor, 'instance:admin')) throw createCredentialNotFoundError();
    return { row, owner: { workspace: null, canManage: true } };
  }
  const teamId = row.workspace;
  const owner = await resolveOwner(tx, actor, { owner: 'workspace', teamId }).catch((err: unknown) => {
    throw isNotFound(err) ? createCredentialNotFoundError() : err;
  });
  return { row, owner };
}

export const createCredentialNotFoundError = (): AppError =>
  new AppError('not_found', 'Credential not found.');
