// Lets an identity provider manage groups by SCIM. Their members get the roles that the table of groups gives.
import type { AppError } from '../../lib/errors.ts';
import { requireFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { AuditAction } from '../../store/audit/actions.ts';
import { type AuditEntry, recordAudit, SERVICE_CALLER } from '../../store/audit/record-audit.ts';
import type { Transaction, Tx } from '../../store/db.ts';
import { forgetUsers } from '../accounts/end-access.ts';
import { applyGroups, lockGroups } from '../groups/apply-groups.ts';
import { type GroupChange, type MemberChange, readGroup, readGroupOperations } from './group-changes.ts';
import { createSelection, presentList, readMatching, type ScimQuery, select } from './query.ts';
import { createScimError } from './scim-error.ts';
import { countResources } from './store/conditions.ts';
import {
  addGroupMembers,
  countGroupMembers,
  deleteScimGroup,
  findScimGroup,
  GROUP_RESOURCES,
  type GroupMember,
  insertScimGroup,
  isGroupNameTaken,
  listGroupMembers,
  listMemberIds,
  removeGroupMembers,
  type ScimGroupRow,
  updateScimGroup,
} from './store/groups.ts';
import type { ScimDeps } from './users.ts';

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const MAX_GROUPS = 5_000;
const MAX_MEMBERS = 20_000;

/** Lists groups with their members. Throws 413 if the groups of a page have too many. */
export async function listGroups({ db, settings }: ScimDeps, query: ScimQuery) {
  const { page, total, rows } = await readMatching<ScimGroupRow>(db, GROUP_RESOURCES, query);
  const isWanted = createSelection(query);
  const members = await readMembers(db, rows, isWanted);
  return presentList(
    rows.map(row => select(presentGroup(settings, row, members), isWanted)),
    total,
    page,
  );
}

/** Throws 404. */
export async function readGroupById({ db, settings }: ScimDeps, id: string, query: ScimQuery) {
  const isWanted = createSelection(query);
  const row = await getGroup(db, id);
  return select(presentGroup(settings, row, await readMembers(db, [row], isWanted)), isWanted);
}

/** Throws 409 `uniqueness`, 413. */
export async function createGroup(deps: ScimDeps, body: Readonly<Record<string, unknown>>) {
  const change = readGroup(body);
  const { displayName, externalId = null } = change;
  if (displayName === undefined) throw createScimError('invalidValue', 'displayName is required.');
  const now = new Date(deps.now());
  const group: ScimGroupRow = {
    id: newId('scimGroup', now.getTime()),
    display_name: displayName,
    external_id: externalId,
    created_at: now,
    updated_at: now,
  };
  await changeGroups(deps, async tx => {
    if ((await countResources(tx, GROUP_RESOURCES, [])) >= MAX_GROUPS)
      throw createScimError('tooMany', `There are ${MAX_GROUPS} groups already. Delete some, or send fewer.`);
    if (await isGroupNameTaken(tx, group)) throw createTakenError();
    await insertScimGroup(tx, group);
    const ids = await changeMembers(tx, group.id, change.members);
    recordGroup(tx, 'scim_group.created', group, { after: { externalId, members: new Set(ids).size } });
    return ids;
  });
  return readGroupById(deps, group.id, {});
}

/** Replaces the name, and the members if the body has them. Throws 404, 409 `uniqueness`, 413. */
export async function replaceGroup(deps: ScimDeps, id: string, body: Readonly<Record<string, unknown>>) {
  await changeGroup(deps, id, readGroup(body));
  return readGroupById(deps, id, {});
}

/** Performs the operations of a PATCH request. Throws 404, 409 `uniqueness`, 413. */
export async function patchGroup(deps: ScimDeps, id: string, body: unknown): Promise<void> {
  await changeGroup(deps, id, readGroupOperations(body));
}

function changeGroup(deps: ScimDeps, id: string, change: GroupChange): Promise<void> {
  return changeGroups(deps, async tx => {
    const group = await getGroup(tx, id);
    const changed = {
      ...group,
      display_name: change.displayName ?? group.display_name,
      external_id: change.externalId === undefined ? group.external_id : change.externalId,
      updated_at: new Date(deps.now()),
    };
    const hasNewName =
      changed.display_name !== group.display_name || changed.external_id !== group.external_id;
    if (hasNewName && (await isGroupNameTaken(tx, changed))) throw createTakenError();
    await updateScimGroup(tx, changed);
    const ids = await changeMembers(tx, id, change.members);
    recordGroup(tx, 'scim_group.changed', changed, {
      before: toAuditFields(group),
      after: { ...toAuditFields(changed), members: summarize(change.members) },
    });
    // Another name may give other roles to all members.
    return hasNewName ? [...ids, ...(await listMemberIds(tx, id))] : ids;
  });
}

/** Deletes the group. Its members lose the roles that it gave. Throws 404. */
export function deleteGroup(deps: ScimDeps, id: string): Promise<void> {
  return changeGroups(deps, async tx => {
    const group = await getGroup(tx, id);
    const ids = await listMemberIds(tx, id);
    await deleteScimGroup(tx, id);
    recordGroup(tx, 'scim_group.deleted', group, { before: { members: ids.length } });
    return ids;
  });
}

/** Runs the change, which returns the users whose groups it changes, and gives them the memberships of their groups. */
async function changeGroups(
  { db, keys, sessions, accessTokens }: ScimDeps,
  change: (tx: Transaction) => Promise<readonly number[]>,
): Promise<void> {
  const changes = await db.transaction(async tx => {
    await lockGroups(tx);
    const userIds = await change(tx);
    return userIds.length === 0 ? [] : applyGroups(tx, SERVICE_CALLER, [...new Set(userIds)]);
  });
  forgetUsers({ keys, sessions, accessTokens }, new Set(changes.map(({ user_id }) => user_id)));
}

function recordGroup(
  tx: Transaction,
  action: AuditAction,
  { id, display_name: name }: ScimGroupRow,
  fields: Pick<AuditEntry, 'before' | 'after'>,
): void {
  recordAudit(tx, SERVICE_CALLER, { action, target: id, name, ...fields });
}

const toAuditFields = ({ display_name, external_id }: ScimGroupRow) => ({
  displayName: display_name,
  externalId: external_id,
});

/** Lists the changes of the members, as far as a row of the audit log holds them. */
const summarize = (changes: readonly MemberChange[]) =>
  changes.map(({ op, userIds }) => ({
    op,
    userIds: userIds?.slice(0, 20) ?? 'all',
    count: userIds?.length ?? null,
  }));

/** Changes the members in the order of the operations. Returns the users concerned. Throws 400 for an unknown user, 413. */
async function changeMembers(
  tx: Tx,
  groupId: string,
  changes: readonly MemberChange[],
): Promise<readonly number[]> {
  const changedIds: number[] = [];
  for (const { op, userIds } of changes) {
    if (op === 'replace' || userIds === null) {
      changedIds.push(...(await listMemberIds(tx, groupId)));
      await removeGroupMembers(tx, groupId, null);
    }
    if (userIds === null || userIds.length === 0) continue;
    changedIds.push(...userIds);
    if (op === 'remove') await removeGroupMembers(tx, groupId, userIds);
    else if ((await addGroupMembers(tx, groupId, userIds)) < userIds.length)
      throw createScimError(
        'invalidValue',
        'A member is not a user that this token manages. Create it first.',
      );
  }
  if (changes.length > 0 && (await countGroupMembers(tx, groupId)) > MAX_MEMBERS)
    throw createScimError('tooMany', `A group can have ${MAX_MEMBERS} members.`);
  return changedIds;
}

async function getGroup(tx: Tx, id: string): Promise<ScimGroupRow> {
  return requireFound(id.length > 64 ? undefined : await findScimGroup(tx, id), 'Group not found.');
}

const createTakenError = (): AppError =>
  createScimError('uniqueness', 'Another group has this displayName or externalId.');

/** Returns the members by group; undefined if the response does not have them. */
async function readMembers(
  tx: Tx,
  groups: readonly ScimGroupRow[],
  isWanted: (attribute: string) => boolean,
): Promise<ReadonlyMap<string, readonly GroupMember[]> | undefined> {
  if (!isWanted('members')) return undefined;
  const ids = groups.map(({ id }) => id);
  const members = await listGroupMembers(tx, ids, MAX_MEMBERS + 1);
  if (members.length > MAX_MEMBERS)
    throw createScimError(
      'tooMany',
      `These groups have more than ${MAX_MEMBERS} members. Send a smaller count, or excludedAttributes=members.`,
    );
  return Map.groupBy(members, ({ group_id }) => group_id);
}

function presentGroup(
  { BASE_URL }: ScimDeps['settings'],
  { id, display_name, external_id, created_at, updated_at }: ScimGroupRow,
  members: ReadonlyMap<string, readonly GroupMember[]> | undefined,
) {
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...(external_id === null ? {} : { externalId: external_id }),
    displayName: display_name,
    ...(members === undefined
      ? {}
      : {
          members: (members.get(id) ?? []).map(({ user_id, name }) => ({
            value: String(user_id),
            display: name,
            type: 'User',
            $ref: `${BASE_URL}/scim/v2/Users/${user_id}`,
          })),
        }),
    meta: {
      resourceType: 'Group',
      created: created_at.toISOString(),
      lastModified: updated_at.toISOString(),
      location: `${BASE_URL}/scim/v2/Groups/${id}`,
    },
  };
}
