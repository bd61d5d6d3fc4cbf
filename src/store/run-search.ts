// Finds runs by conditions, newest first, and by words in their inputs and results. A page examines a limited number of rows
// from the index that fits best. If too few rows match, the page says where to continue.
import type { Db, Tx } from './db.ts';
import { allValues, firstValue } from './rows.ts';

/** A page examines this many rows at most, about 30 ms of work. */
export const MAX_EXAMINED = 5000;

export const ID = 'id collate "C"';

export interface RunSearch {
  /** Selects the ids of the newest candidates as `id`, newest first. */
  readonly toSource: (maxRows: number) => string;
  /** The condition on `e` that candidates meet because of the source. */
  readonly sourceCondition: string;
  /** The condition on `e` that candidates must meet; `true` if there is no condition. */
  readonly matches: string;
  /** `$1`: the statuses; `$2` and `$3`: the first id, and the id after the last one. */
  readonly values: readonly unknown[];
  /** How many of `values`, counted from the first, the source uses. */
  readonly sourceValueCount: number;
}

/** What a search for words finds. */
export interface RunWords {
  /** In the syntax of `tsquery`. */
  readonly query: string;
  /** An id that all runs of the list have in their words, such as that of the workflow; null for all runs. */
  readonly scope: string | null;
}

export interface RunPageOptions {
  readonly limit: number;
  readonly words: RunWords | null;
  /** Whether the runs of a batch are one row: that of its newest run. */
  readonly groupsBatches: boolean;
}

export interface RunPage {
  readonly ids: readonly string[];
  /** The last examined id, if older runs may match. Undefined if the page is full or no more runs match. */
  readonly resumeBeforeId: string | undefined;
}

/**
 * Runs statements with index scans only. While the table is small, PostgreSQL's planner would choose a table scan,
 * which is slow when few rows match.
 */
export function withIndexPlans<T>(db: Pick<Db, 'transaction'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async tx => {
    await tx.query(
      `select set_config(name, 'off', true) from unnest('{enable_seqscan,enable_bitmapscan,enable_hashjoin,enable_mergejoin}'::text[]) as name`,
    );
    return work(tx);
  });
}

/** How many runs a list of batches examines before it examines as many as others, by rows of the page. */
const FIRST_EXAMINED = 10;

/** Finds the ids of a page. Common words are found among the newest runs, rare ones with the index of words. */
export async function findRunIds(tx: Tx, search: RunSearch, options: RunPageOptions): Promise<RunPage> {
  const { limit, words } = options;
  const found = words === null ? search : withWords(search, words);
  // Without other conditions, every row of the index matches.
  const needsAll = found.matches === 'true' && !options.groupsBatches;
  // A search stops when the page is full, but all runs are needed to find the newest of each batch.
  const steps = needsAll
    ? [limit]
    : options.groupsBatches
      ? [limit * FIRST_EXAMINED, MAX_EXAMINED]
      : [MAX_EXAMINED];
  let ids: readonly string[] = [];
  let maxRows = limit;
  for (maxRows of steps) {
    const statement = selectGrouped(found, selectMatching(found, maxRows), options);
    ids = await allValues<string>(tx, `${statement} limit ${limit}`, found.values);
    if (needsAll || ids.length >= limit) return { ids, resumeBeforeId: undefined };
  }
  const resumeBeforeId = await findLastId(tx, search, maxRows);
  if (resumeBeforeId === undefined || words === null) return { ids, resumeBeforeId };
  const indexed = toIndexed(search, words);
  // The index of words is only used with a bitmap.
  await tx.query('set local enable_bitmapscan = on');
  const statement = selectGrouped(indexed, selectMatching(indexed, MAX_EXAMINED), options);
  const indexedIds = await allValues<string>(tx, `${statement} limit ${limit}`, indexed.values);
  const isFull = indexedIds.length >= limit;
  return {
    ids: indexedIds,
    resumeBeforeId: isFull ? undefined : await findLastIndexedId(tx, indexed),
  };
}

/** Returns the last id that was examined, if the source may have more. */
async function findLastId(
  tx: Tx,
  { toSource, values, sourceValueCount }: RunSearch,
  maxRows: number,
): Promise<string | undefined> {
  return firstValue(
    tx,
    `select n.id from (${toSource(maxRows)}) n order by n.${ID} desc offset ${maxRows - 1} limit 1`,
    values.slice(0, sourceValueCount),
  );
}

/** Works like `findLastId`. All parameters must occur in the statement, or PostgreSQL does not know their types. */
function findLastIndexedId(tx: Tx, { toSource, matches, values }: RunSearch): Promise<string | undefined> {
  return firstValue(
    tx,
    `select n.id from (${toSource(MAX_EXAMINED)}) n
       left join lateral (select from executions e where e.id = n.id and ${matches} offset 0) e on true
     order by n.${ID} desc offset ${MAX_EXAMINED - 1} limit 1`,
    values,
  );
}

function withWords(search: RunSearch, { query }: RunWords): RunSearch {
  const values = [...search.values, query];
  const hasWords = `exists (select from run_digests d where d.execution_id = e.id and d.words @@ $${values.length}::tsquery)`;
  return { ...search, values, matches: `${hasWords} and ${search.matches}` };
}

/** Takes the candidates from the index of words instead. */
function toIndexed(search: RunSearch, { query, scope }: RunWords): RunSearch {
  const values = [...search.values, query, ...(scope === null ? [] : [quoteWord(scope)])];
  const first = search.values.length + 1;
  const condition = scope === null ? `$${first}::tsquery` : `$${first}::tsquery && $${first + 1}::tsquery`;
  return {
    ...search,
    values,
    // `offset 0` keeps the planner from reading all runs in the order of their ids.
    toSource: maxRows => `
      select execution_id as id from (select d.execution_id from run_digests d where d.words @@ (${condition}) offset 0) d
      where execution_id >= $2 and execution_id < $3 order by execution_id desc limit ${maxRows}`,
    matches: `e.status = any ($1::text[]) and ${search.sourceCondition} and ${search.matches}`,
  };
}

/** Quotes a word for the syntax of `tsquery`. */
export const quoteWord = (word: string): string => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Selects the ids that match. Checks candidates one by one, so that PostgreSQL can stop when the page is full. */
export function selectMatching({ toSource, matches }: RunSearch, maxRows: number): string {
  const check =
    matches === 'true'
      ? ''
      : `cross join lateral (select from executions e where e.id = n.id and ${matches} offset 0) f`;
  return `select n.id from (${toSource(maxRows)}) n ${check} order by n.${ID} desc`;
}

const IS_OF_BATCH = `e.origin_id like 'bat\\_%'`;

/**
 * Keeps the newest of the runs of each batch. Leaves out batches with a run that matches on an earlier page, whose ids are
 * not below `$3`.
 */
function selectGrouped(search: RunSearch, matching: string, { groupsBatches }: RunPageOptions): string {
  if (!groupsBatches) return matching;
  return `
    select id from (
      select distinct on (coalesce(b.origin_id, m.id)) m.id, b.origin_id from (${matching}) m left join lateral (
        select e.origin_id from executions e where e.id = m.id and ${IS_OF_BATCH}) b on true
      order by coalesce(b.origin_id, m.id), m.${ID} desc) m
    where origin_id is null or not exists (
      select from executions e where e.origin_id = m.origin_id and e.${ID} >= $3 and e.status = any ($1::text[])
        and ${search.sourceCondition} and ${search.matches})
    order by ${ID} desc`;
}
