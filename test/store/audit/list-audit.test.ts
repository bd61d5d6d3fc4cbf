// Tests that a page of the audit log reads few rows, wherever its time range or cursor is in a month.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { getFirstIdAt } from '../../../src/lib/ids.ts';
import { type AuditFilter, listAuditRows } from '../../../src/store/audit/list-audit.ts';
import { createAuditPartitions } from '../../../src/store/audit/partitions.ts';
import type { Db, Tx } from '../../../src/store/db.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const MONTH_MS = Date.UTC(2026, 4, 1);
const ROWS = 20_000;
/** The rows are a minute apart. */
const atRow = (n: number): string => getFirstIdAt('audit', MONTH_MS + n * 60_000);

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
  await createAuditPartitions(test.db, MONTH_MS);
  await test.db.query(
    `insert into audit_events (id, at, user_id, via, action, target, team_id)
     select 'aud_' || (select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (ms >> (5 * place) & 31)::int + 1, 1), ''
         order by place desc) from generate_series(0, 9) place) || lpad(n::text, 16, '0'),
       to_timestamp(ms / 1000.0), n % 2, 'service', 'key.created', 'key_1', case when n % 3 = 0 then 'team_1' end
     from (select n, $1::bigint + n * 60000 as ms from generate_series(1, $2::bigint) n) s`,
    [MONTH_MS, ROWS],
  );
  await test.db.query('analyze audit_events');
});
after(() => test.drop());

const NO_FILTER: AuditFilter = {
  userId: null,
  action: null,
  target: null,
  teamId: null,
  fromId: null,
  toId: null,
};

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const countRead = (node: PlanNode): number =>
  Math.max(
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ...(node.Plans ?? []).map(countRead),
  );

/** Returns the page, and the most rows that a part of a statement read for it. */
async function list(filter: Partial<AuditFilter>, cursor: string | null = null) {
  let mostRead = 0;
  const explain = (tx: Tx): Tx => ({
    query: async (statement, values) => {
      if (statement.includes('from audit_events')) {
        const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (analyze, format json) ${statement}`,
          values,
        );
        for (const row of rows) mostRead = Math.max(mostRead, countRead(row['QUERY PLAN'][0].Plan));
      }
      return tx.query(statement, values);
    },
  });
  const db: Db = {
    ...test.db,
    ...explain(test.db),
    transaction: work => test.db.transaction(tx => work({ ...tx, ...explain(tx) })),
  };
  const page = await listAuditRows(db, { ...NO_FILTER, ...filter }, { after: cursor, limit: 50 });
  return { ids: page.rows.map(({ id }) => id), mostRead };
}

const CONDITIONS: readonly Partial<AuditFilter>[] = [
  {},
  { action: 'key.created' },
  { userId: 1 },
  { target: 'key_1', teamId: 'team_1' },
  { userId: 0, action: 'key.created', target: 'key_1', teamId: 'team_1' },
];

it('a page before a time or after a cursor in the middle of a month reads at most two thousand rows', async () => {
  for (const filter of CONDITIONS)
    for (const [range, cursor] of [
      [{ toId: atRow(ROWS / 4) }, null],
      [{}, atRow(ROWS / 4)],
      [{ fromId: atRow(100), toId: atRow(400) }, null],
      [{ fromId: atRow(ROWS / 2) }, null],
    ] as const) {
      const { ids, mostRead } = await list({ ...filter, ...range }, cursor);
      const label = JSON.stringify({ ...filter, ...range, cursor });
      assert.equal(ids.length, 50, label);
      assert.deepEqual(ids, [...ids].sort().reverse(), label);
      const toId = ('toId' in range ? range.toId : cursor) ?? 'aud_z';
      assert.ok((ids[0] ?? '') < toId, label);
      assert.ok(mostRead <= 2000, `${mostRead} rows for ${label}`);
    }
});
