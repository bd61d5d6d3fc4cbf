// Lists the audit log, newest first.
//
// One condition is answered by its index. Of several, the one whose newest rows reach back furthest is read by its index, and
// the rows are compared with the others. At most MAX_EXAMINED rows are examined for a page, so that it takes the same time
// in a log of any size; the next page continues after the last examined row.
import type { Tx } from '../db.ts';
import { all, first, type PageRange } from '../rows.ts';
import type { AuditAction } from './actions.ts';
import type { AuditVia } from './record-audit.ts';

export interface AuditFilter {
  readonly userId: number | null;
  readonly action: AuditAction | null;
  readonly target: string | null;
  readonly teamId: string | null;
  /** The first id that is listed. */
  readonly fromId: string | null;
  /** The first id after those that are listed. */
  readonly toId: string | null;
}

export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly user_id: number | null;
  readonly via: AuditVia;
  readonly key_id: string | null;
  readonly action: AuditAction;
  readonly target: string | null;
  readonly target_name: string | null;
  readonly team_id: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly address: string | null;
  readonly request_id: string | null;
}

export interface AuditRows {
  readonly rows: readonly AuditRow[];
  /** Set if not all rows were examined: the page continues before this id. */
  readonly resumeBeforeId: string | undefined;
}

/** Larger than every id. */
const AFTER_ALL_IDS = '~';
const MAX_EXAMINED = 5000;

/** The conditions, each with an index of its column and the id. */
const COLUMNS = { userId: 'user_id', action: 'action', target: 'target', teamId: 'team_id' } as const;
const FIELDS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

const SELECTED =
  'id, at, user_id, via, key_id, action, target, target_name, team_id, before, after, address, request_id';

/** Returns a page, which has fewer rows than its limit if too many would have to be examined. */
export async function listAuditRows(
  tx: Tx,
  filter: AuditFilter,
  { after, limit }: PageRange<string>,
): Promise<AuditRows> {
  const fromId = filter.fromId ?? '';
  const toId = [after, filter.toId].reduce<string>(
    (smallest, id) => (id !== null && id < smallest ? id : smallest),
    AFTER_ALL_IDS,
  );
  const fields = FIELDS.filter(field => filter[field] !== null);
  const values = [fromId, toId, ...fields.map(field => filter[field])];
  const conditions = fields.map((field, index) => `${COLUMNS[field]} = $${index + 3}`);
  const range = 'id >= $1 and id < $2';
  if (fields.length < 2) {
    const where = [range, ...conditions].join(' and ');
    const rows = await all<AuditRow>(
      tx,
      `select ${SELECTED} from audit_events where ${where} order by id desc limit $${values.length + 1}`,
      [...values, limit],
    );
    return { rows, resumeBeforeId: undefined };
  }
  const ends = await first<Record<string, string | null>>(
    tx,
    `select ${conditions
      .map(
        (condition, index) =>
          `(select id from audit_events where ${condition} and ${range} order by id desc
            offset ${MAX_EXAMINED - 1} limit 1) as end${index}`,
      )
      .join(', ')}`,
    values,
  );
  // Null if the condition has fewer rows.
  const endIds = conditions.map((_, index) => ends?.[`end${index}`] ?? null);
  const best = endIds.reduce<number>(
    (chosen, id, index) => ((id ?? '') < (endIds[chosen] ?? '') ? index : chosen),
    0,
  );
  const rows = await all<AuditRow>(
    tx,
    // The limit keeps PostgreSQL from using the other conditions before.
    `select * from (
       select ${SELECTED} from audit_events where ${conditions[best]} and ${range}
       order by id desc limit ${MAX_EXAMINED}) examined
     where ${conditions.filter((_, index) => index !== best).join(' and ')}
     order by id desc limit $${values.length + 1}`,
    [...values, limit],
  );
  return { rows, resumeBeforeId: endIds[best] ?? undefined };
}

/** Returns the names of users, without those of deleted accounts, and of teams. */
export async function findAuditNames(
  tx: Tx,
  { userIds, teamIds }: { readonly userIds: readonly number[]; readonly teamIds: readonly string[] },
): Promise<ReadonlyMap<number | string, string>> {
  const rows = await all<{ readonly id: string; readonly is_user: boolean; readonly name: string }>(
    tx,
    `select id::text as id, true as is_user, name from users where id = any ($1::int[]) and deleted_at is null
     union all select id, false, name from teams where id = any ($2::text[])`,
    [userIds, teamIds],
  );
  return new Map(rows.map(({ id, is_user, name }) => [is_user ? Number(id) : id, name]));
}
