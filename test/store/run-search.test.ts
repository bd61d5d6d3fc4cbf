// Tests searches for words of runs and lists in which a batch is one row.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ExecutionSearch, searchExecutions } from '../../src/store/execution-lists.ts';
import { EXECUTION_STATUSES } from '../../src/store/executions.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { insertManyExecutions } from '../support/runs/many-executions.ts';

const COUNT = 7000;
const USER = 7;
const END_MS = Date.now() - 1000;

describe('a search of runs', () => {
  let database: TestDatabase;
  let ids: readonly string[];
  before(async () => {
    database = await createTestDatabase();
    const { db } = database;
    await insertManyExecutions(db, {
      count: COUNT,
      userId: USER,
      workflowIds: ['wf_first', 'wf_second'],
      endMs: END_MS,
    });
    // The oldest run has number 1. All runs are common, one in 500 is rare, and the oldest 100 are old.
    await db.query(
      `insert into run_digests (execution_id, words, preview)
       select id, array_to_tsvector(array_remove(array['common', case when n % 500 = 0 then 'rare' end,
         case when n <= 100 then 'old' end, workflow_id, workspace, 'by:' || user_id], null)), '{}'
       from (select *, row_number() over (order by id) as n from executions) e`,
    );
    await db.query(
      `insert into batches (id, workflow_id, workflow_version, user_id, workspace, total, concurrency, stop_after_failures,
         estimated_credits, estimate_is_exact, created_at)
       select 'bat_' || n, 'wf_first', 1, $1, 'user:7', 100, 1, 1, 0, true, now() from generate_series(1, 2) n`,
      [USER],
    );
    // Of the newest 120 runs, all but every tenth are of one batch; the other batch has three old ones.
    await db.query(
      `update executions e set origin_id = case when n > ${COUNT - 120} then 'bat_1' else 'bat_2' end
       from (select id, row_number() over (order by id) as n from executions) r
       where r.id = e.id and (n > ${COUNT - 120} and n % 10 > 0 or n in (5, 15, 25))`,
    );
    await db.query('analyze executions, run_digests');
    const { rows } = await db.query<{ id: string }>('select id from executions order by id');
    ids = rows.map(({ id }) => id);
  });
  after(() => database.drop());

  const ALL: ExecutionSearch = {
    workflowId: null,
    userId: USER,
    statuses: EXECUTION_STATUSES,
    createdAfter: null,
    createdBefore: null,
    idempotencyKey: null,
    withoutTeams: [],
    trigger: null,
    isAutomated: null,
    startedBy: null,
    ownOfWorkflowId: null,
    words: null,
    groupsBatches: false,
    before: null,
    limit: 20,
  };
  /** Lists up to `max` ids, continuing where a page says so. */
  const list = async (change: Partial<ExecutionSearch>, max = 20): Promise<readonly string[]> => {
    const found: string[] = [];
    let { before = null } = change;
    for (;;) {
      const { rows, resumeBeforeId } = await searchExecutions(database.db, { ...ALL, ...change, before });
      found.push(...rows.map(({ id }) => id));
      if (found.length >= max) return found.slice(0, max);
      before =
        rows.length === (change.limit ?? ALL.limit) ? (rows.at(-1)?.id ?? null) : (resumeBeforeId ?? null);
      if (before === null) return found;
    }
  };
  const search = (query: string, scope: string | null = `by:${USER}`) => ({ words: { query, scope } });
  /** Returns the ids of runs by their numbers, newest first. */
  const byNumbers = (isIncluded: (number: number) => boolean) =>
    ids.filter((_, index) => isIncluded(index + 1)).toReversed();

  it('finds common, rare and old words, newest first', async () => {
    assert.deepEqual(await list(search("'common'")), byNumbers(() => true).slice(0, 20));
    assert.deepEqual(
      await list(search("'rare' & 'comm':*"), 100),
      byNumbers(number => number % 500 === 0),
    );
    assert.deepEqual(
      await list(search("'old'"), 200),
      byNumbers(number => number <= 100),
    );
    assert.deepEqual(await list(search("'old' & 'rare'")), []);
    assert.deepEqual(await list(search("'missing'")), []);
  });

  it('combines words with other conditions', async () => {
    const { rows } = await database.db.query<{ id: string }>(
      `select e.id from executions e join run_digests d on d.execution_id = e.id
       where workflow_id = 'wf_second' and words @@ 'old' order by e.id desc`,
    );
    assert.ok(rows.length > 0);
    assert.deepEqual(
      await list({ ...search("'old'", 'wf_second'), workflowId: 'wf_second' }, 100),
      rows.map(({ id }) => id),
    );
    // More runs have the word than a page examines.
    assert.deepEqual(await list({ ...search("'common'"), trigger: 'editor' }), []);
    assert.equal((await list({ ...search("'common'"), statuses: ['CANCELLED'] })).length, 2);
    assert.deepEqual(await list({ ...search("'rare'"), trigger: 'editor' }), []);
    assert.deepEqual(await list({ ...search("'rare'"), startedBy: 8 }), []);
    assert.deepEqual(await list({ ...search("'old'"), statuses: ['RUNNING'] }), []);
    const createdBefore = new Date(END_MS + 60_000);
    assert.equal((await list({ ...search("'old'"), createdBefore })).length, 20);
  });

  it('shows the newest matching run for each batch, on one page only', async () => {
    const grouped = await list({ groupsBatches: true, limit: 500 }, COUNT);
    const isOfFirst = (number: number) => number > COUNT - 120 && number % 10 > 0;
    const isOfSecond = (number: number) => [5, 15, 25].includes(number);
    const expected = byNumbers(
      number => !(isOfFirst(number) || isOfSecond(number)) || number === COUNT - 1 || number === 25,
    );
    assert.deepEqual(grouped, expected);
    const old = await list({ ...search("'old'"), groupsBatches: true }, 200);
    assert.deepEqual(old, expected.slice(-100 + 2));
    const page = await searchExecutions(database.db, {
      ...ALL,
      groupsBatches: true,
      before: ids.at(-1) ?? '',
    });
    assert.equal(page.rows[0]?.batch?.id, 'bat_1');
    assert.equal(page.rows[0]?.batch?.total, 100);
  });
});
