// Presents rows of the audit log, each with a sentence that names the actor, the target and the team.
import { isRecord } from '../../lib/record.ts';
import { AUDIT_ACTIONS } from '../../store/audit/actions.ts';
import { type AuditRow, findAuditNames } from '../../store/audit/list-audit.ts';
import { type AuditVia, parseUserTarget } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { presentColumns } from '../present-columns.ts';

type Names = ReadonlyMap<number | string, string>;

/** Presents the rows with the current names of users and teams. */
export async function presentAuditRows(tx: Tx, rows: readonly AuditRow[]) {
  const userIds = rows.flatMap(row => [
    row.user_id,
    parseUserTarget(row.target),
    findPersonId(row.before),
    findPersonId(row.after),
  ]);
  const names = await findAuditNames(tx, {
    userIds: [...new Set(userIds.filter(id => id != null))],
    teamIds: [...new Set(rows.flatMap(({ team_id }) => team_id ?? []))],
  });
  return rows.map(row => presentAuditRow(row, names));
}

function presentAuditRow(row: AuditRow, names: Names) {
  const actorName = nameActor(row, names);
  const targetName = nameTarget(row, names);
  const { id, at, ...rest } = presentColumns(
    row,
    'id at action target team_id before after address request_id',
  );
  return {
    id,
    at,
    actor: { userId: row.user_id, name: actorName, via: row.via, keyId: row.key_id },
    ...rest,
    targetName,
    summary: summarize(namePeople(row, names), {
      actor: actorName,
      target: targetName ?? row.target ?? 'an unknown account',
      team: (row.team_id && names.get(row.team_id)) ?? 'a deleted team',
    }),
  };
}

/** Shows constants such as `EDITOR` as `Editor`. */
const toWords = (value: string): string =>
  /^[A-Z]{4,}$/.test(value) ? value.charAt(0) + value.slice(1).toLowerCase() : value;

const DELETED_USER = 'Deleted user';

/** What acts without an account. */
const ACTORS: Readonly<Partial<Record<AuditVia, string>>> = {
  cli: 'An operator',
  service: 'The service',
};

const nameActor = ({ user_id, via }: AuditRow, names: Names): string =>
  user_id === null ? (ACTORS[via] ?? 'Someone') : (names.get(user_id) ?? DELETED_USER);

function nameTarget({ target, target_name }: AuditRow, names: Names): string | null {
  const userId = parseUserTarget(target);
  return userId === undefined ? target_name : (names.get(userId) ?? DELETED_USER);
}

/** Returns the account in the fields of a row: of whom a workflow is shared with, for example. */
function findPersonId(fields: AuditRow['after']): number | undefined {
  const userId = fields?.userId;
  // An id of the database is a 32-bit integer.
  return Number.isInteger(userId) && Math.abs(Number(userId)) < 2 ** 31 ? Number(userId) : undefined;
}

/** Adds the names of accounts to the fields, which contain only their ids. */
function namePeople(row: AuditRow, names: Names): AuditRow {
  const addName = (fields: AuditRow['after']): AuditRow['after'] => {
    const userId = findPersonId(fields);
    if (userId === undefined || fields?.person != null) return fields;
    return { ...fields, person: names.get(userId) ?? DELETED_USER };
  };
  return { ...row, before: addName(row.before), after: addName(row.after) };
}

/** Fills in the sentence of the action. A row of a newer version of the program has an unknown action. */
function summarize(
  { action, before, after }: AuditRow,
  names: { readonly actor: string; readonly target: string; readonly team: string },
): string {
  const sentence = Object.hasOwn(AUDIT_ACTIONS, action) ? AUDIT_ACTIONS[action] : `{actor}: ${action}`;
  const values = { ...names, before, after };
  return sentence.replaceAll(/\{([\w.]+)\}/g, (_, path: string) => {
    const value: unknown = path
      .split('.')
      .reduce<unknown>((object, key) => (isRecord(object) ? object[key] : undefined), values);
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' ? toWords(value) : 'unknown';
  });
}
