// Lists the audit log, newest first.
//
// One condition is answered by its index. Of several, the one whose newest rows reach back furthest is read by its index, and
// the rows are compared with the others. At most MAX_EXAMINED rows are examined for a page, so that it takes the same time
// in a log of any size; the next page continues after the last examined row.
import type { Db, Tx } from '../db.ts';
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

/** Larger than every id, in every collation. */
const AFTER_ALL_IDS = 'aud_zz';
const MAX_EXAMINED = 2000;

/** The conditions, each with an index of its column and the id. */
const COLUMNS = { userId: 'user_id', action: 'action', target: 'target', teamId: 'team_id' } as const;
const FIELDS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** By the primary key, and by the months, which are partitions. */
const RANGE = 'id >= $1 and id < $2';
/** By the indexes of COLUMNS. RANGE only excludes months: PostgreSQL would read and discard the rows of the month before $2. */
const INDEX_RANGE = `${RANGE} and id collate "C" >= $1 and id collate "C" < $2`;
/** The order of the indexes of COLUMNS. The primary key has another collation, so PostgreSQL cannot choose it instead. */
const BY_INDEX = `id collate "C" desc`;

const SELECTED =
  'id, at, user_id, via, key_id, action, target, target_name, team_id, before, after, address, request_id';

/** Returns a page, which has fewer rows than its limit if too many would have to be examined. */
export async function listAuditRows(
  db: Db,
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
  const ranges = conditions.map(condition => ({
    where: `${condition} and ${INDEX_RANGE}`,
    order: BY_INDEX,
  }));
  const limitParameter = `$${values.length + 1}`;
  if (fields.length < 2) {
    const { where, order } = ranges[0] ?? { where: RANGE, order: 'id desc' };
    const rows = await all<AuditRow>(
      db,
      `select ${SELECTED} from audit_events where ${where} order by ${order} limit ${limitParameter}`,
      [...values, limit],
    );
    return { rows, resumeBeforeId: undefined };
  }
  return db.transaction(async tx => {
    await tx.query(USE_INDEXES);
    const endIds = await findEnds(tx, ranges, values);
    const best = endIds.reduce<number>(
      (chosen, id, index) => ((id ?? '') < (endIds[chosen] ?? '') ? index : chosen),
      0,
    );
    const rows = await all<AuditRow>(
      tx,
      // The limit keeps PostgreSQL from using the other conditions before.
      `select * from (
         select ${SELECTED} from audit_events where ${ranges[best]?.where}
         order by ${ranges[best]?.order} limit ${MAX_EXAMINED}) examined
       where ${conditions.filter((_, index) => index !== best).join(' and ')}
       limit ${limitParameter}`,
      [...values, limit],
    );
    return { rows, resumeBeforeId: endIds[best] ?? undefined };
  });
}

/** Otherwise PostgreSQL sorts whole partitions, because it expects to read many rows. */
const USE_INDEXES = `select set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true)`;

interface Range {
  readonly where: string;
  readonly order: string;
}

/** Returns the id of the last row that may be examined in each range; null if the range has fewer rows. */
async function findEnds(
  tx: Tx,
  ranges: readonly Range[],
  values: readonly unknown[],
): Promise<readonly (string | null)[]> {
  const ends = await first<Record<string, string | null>>(
    tx,
    `select ${ranges
      .map(
        ({ where, order }, index) =>
          `(select id from audit_events where ${where} order by ${order}
            offset ${MAX_EXAMINED - 1} limit 1) as end${index}`,
      )
      .join(', ')}`,
    values,
  );
  return ranges.map((_, index) => ends?.[`end${index}`] ?? null);
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
