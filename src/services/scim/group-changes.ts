// Reads changes of a group and its members from SCIM requests.
import { isRecord } from '../../lib/record.ts';
import { readOperations } from './patch.ts';
import { parsePath } from './path.ts';
import { createScimError } from './scim-error.ts';
import { readText } from './user-attributes.ts';

/** A change of the members. `userIds` is null for all members. */
export interface MemberChange {
  readonly op: 'add' | 'remove' | 'replace';
  readonly userIds: readonly number[] | null;
}

export interface GroupChange {
  displayName?: string;
  externalId?: string | null;
  readonly members: MemberChange[];
}

const MAX_CHARS = 256;
/** The most members that a request can name. */
const MAX_MEMBERS = 20_000;

/** Reads the body of a group. Throws 400, 413. */
export function readGroup(body: Readonly<Record<string, unknown>>): GroupChange {
  const change: GroupChange = { members: [] };
  for (const [name, value] of Object.entries(body)) setGroupAttribute(change, 'replace', name, value);
  return change;
}

/** Reads the operations of a PATCH request. Throws 400, 413. */
export function readGroupOperations(body: unknown): GroupChange {
  const change: GroupChange = { members: [] };
  for (const { op, path, value } of readOperations(body)) setGroupAttribute(change, op, path, value);
  const count = change.members.reduce((sum, { userIds }) => sum + (userIds?.length ?? 0), 0);
  if (count > MAX_MEMBERS) throw createTooManyError();
  return change;
}

/** Attributes that groups do not have are ignored. */
function setGroupAttribute(
  change: GroupChange,
  op: MemberChange['op'],
  pathText: string,
  value: unknown,
): void {
  const { name, condition } = parsePath(pathText);
  const sent = op === 'remove' ? null : value;
  if (name === 'displayname') {
    const displayName = readText('displayName', sent, MAX_CHARS);
    if (displayName === null) throw createScimError('invalidValue', 'displayName is required.');
    change.displayName = displayName;
  } else if (name === 'externalid') change.externalId = readText('externalId', sent, MAX_CHARS);
  else if (name === 'members') change.members.push(readMemberChange(op, condition, value));
}

function readMemberChange(
  op: MemberChange['op'],
  condition: ReturnType<typeof parsePath>['condition'],
  value: unknown,
): MemberChange {
  if (condition !== undefined) {
    if (condition.name !== 'value' || op !== 'remove')
      throw createScimError('invalidPath', 'Members can only be removed by members[value eq "…"].');
    return { op, userIds: [readUserId(condition.value)] };
  }
  // Okta and others remove all members without a value, Entra ID lists those to remove.
  if (op === 'remove' && (value === undefined || value === null)) return { op, userIds: null };
  const items = value === undefined || value === null ? [] : [value].flat();
  if (items.length > MAX_MEMBERS) throw createTooManyError();
  return { op, userIds: [...new Set(items.map(item => readUserId(isRecord(item) ? item.value : item)))] };
}

function readUserId(id: unknown): number {
  if (typeof id === 'string' && /^[1-9]\d{0,8}$/.test(id)) return Number(id);
  throw createScimError(
    'invalidValue',
    `The member ${JSON.stringify(id)?.slice(0, 100)} is not the id of a user. A group cannot have groups as members.`,
  );
}

const createTooManyError = () =>
  createScimError('tooMany', `A request can name ${MAX_MEMBERS} members. Send them in several requests.`);
