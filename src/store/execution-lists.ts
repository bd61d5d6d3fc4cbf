// Lists executions by workflow or user, with filters that each use an index.
import { getFirstIdAt } from '../lib/ids.ts';
import { parseMemberTexts } from '../lib/json-scan.ts';
import type { Db, Tx } from './db.ts';
import { AUTOMATED_TRIGGERS, type ExecutionRow, LISTED_COLUMNS } from './executions.ts';
import { isStillMemberSql, USER_SHARES } from './permissions.ts';
import { all } from './rows.ts';
import { findRunIds, ID, type RunPageOptions, type RunSearch, withIndexPlans } from './run-search.ts';

export interface ExecutionFilter {
  readonly workflowId: string | null;
  /** Without a workflow, the executions that this user started are listed. */
  readonly userId: number;
  /** The statuses to include. */
  readonly statuses: readonly string[];
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
  readonly idempotencyKey: string | null;
  /** Leaves out the runs of these teams. */
  readonly withoutTeams: readonly string[];
  /** The cursor: lists only ids smaller than this. */
  readonly before: string | null;
  readonly limit: number;
}

/** Conditions that have no index of their own. */
export interface ExecutionSearch extends ExecutionFilter, Omit<RunPageOptions, 'limit'> {
  readonly trigger: string | null;
  /** Lists only the runs of schedules, triggers and visitors of apps, or only the others. */
  readonly isAutomated: boolean | null;
  /** Lists only the runs that this user started. */
  readonly startedBy: number | null;
  /** Lists only the user's own runs of this workflow; ignored if a workflow is listed. */
  readonly ownOfWorkflowId: string | null;
}

/** What lists show of the contents of a run, and of its batch. */
export interface ListedDetails {
  /** JSON text; null while the run is active, and for runs that no worker executed. */
  readonly preview: string | null;
  /** Null if the run is not of a batch, or if the batch was deleted. */
  readonly batch: {
    readonly id: string;
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
    readonly running: number;
  } | null;
}

export const LISTED_DETAILS = `(select g.preview from run_digests g where g.execution_id = e.id) as preview,
  (select json_build_object('id', b.id, 'total', b.total, 'completed', b.rows_completed, 'failed', b.rows_failed, 'running', b.rows_running)
   from batches b where b.id = e.origin_id) as batch`;

/** A run without its request, decisions and components, which may be long. */
export interface ExecutionListRow extends Omit<ExecutionRow, 'request' | 'decisions' | 'components'> {
  /** JSON text; null if there is none, or if it is too long for a list. */
  readonly metadata: string | null;
  /** The name of the user who started the run. */
  readonly user_name: string;
}

export type DetailedExecutionRow = ExecutionListRow & ListedDetails;

/** Lists executions, newest first. */
export function listExecutions(tx: Tx, filter: ExecutionFilter): Promise<readonly DetailedExecutionRow[]> {
  const { workflowId, idempotencyKey } = filter;
  const owner = workflowId === null ? 'user' : 'workflow';
  return readRows(tx, idempotencyKey === null ? BY_STATUS[owner] : BY_KEY[owner], [
    workflowId ?? filter.userId,
    filter.statuses,
    filter.createdAfter,
    filter.createdBefore,
    ...toIdRange(filter),
    filter.limit,
    filter.withoutTeams,
    ...(idempotencyKey === null ? [] : [idempotencyKey]),
  ]);
}

export interface ExecutionSearchPage {
  readonly rows: readonly DetailedExecutionRow[];
  /** The last examined id, if older runs may match. Undefined if the page is full or no more runs match. */
  readonly resumeBeforeId: string | undefined;
}

/** Lists the executions that match, newest first. */
export async function searchExecutions(
  db: Pick<Db, 'transaction' | 'query'>,
  search: ExecutionSearch,
): Promise<ExecutionSearchPage> {
  const { trigger, isAutomated, startedBy, ownOfWorkflowId, words, groupsBatches } = search;
  const conditions = [words, trigger, isAutomated, startedBy, ownOfWorkflowId];
  if (!groupsBatches && conditions.every(condition => condition === null))
    return { rows: await listExecutions(db, search), resumeBeforeId: undefined };
  return withIndexPlans(db, async tx => {
    const { ids, resumeBeforeId } = await findRunIds(tx, toSearch(search), search);
    return { rows: await readRows(tx, SELECT_IDS, [ids]), resumeBeforeId };
  });
}

async function readRows(
  tx: Tx,
  statement: string,
  values: readonly unknown[],
): Promise<readonly DetailedExecutionRow[]> {
  const rows = await all<
    Omit<ExecutionListRow, 'metadata'> & ListedDetails & { readonly request: string | null }
  >(tx, statement, values);
  return rows.map(({ request, ...row }) => ({
    ...row,
    metadata: parseMemberTexts(request ?? '{}').get('metadata') ?? null,
  }));
}

/** The statements of a search have `$1`: the statuses, `$2` and `$3`: the range of ids, `$4`: the owner. */
function toSearch(filter: ExecutionSearch): RunSearch {
  const { createdAfter, createdBefore, trigger, startedBy, ownOfWorkflowId, workflowId, withoutTeams } =
    filter;
  const values: unknown[] = [filter.statuses, ...toIdRange(filter), workflowId ?? filter.userId];
  const sourceCondition = OWNERS[workflowId === null ? 'user' : 'workflow'].replaceAll('$1', '$4');
  const sourceValueCount = values.length;
  const conditions: string[] = [];
  const compare = (column: string, operator: string, value: unknown, type: string): void => {
    if (value !== null) conditions.push(`${column} ${operator} $${values.push(value)}::${type}`);
  };
  compare('e.created_at', '>', createdAfter, 'timestamptz');
  compare('e.created_at', '<', createdBefore, 'timestamptz');
  compare('e.idempotency_key', '=', filter.idempotencyKey, 'text');
  compare('e.trigger', '=', trigger, 'text');
  if (filter.isAutomated !== null)
    conditions.push(
      `(e.trigger = any ($${values.push(AUTOMATED_TRIGGERS)}::text[])) = $${values.push(filter.isAutomated)}::boolean`,
    );
  compare('e.user_id', '=', startedBy, 'int');
  if (workflowId === null) compare('e.workflow_id', '=', ownOfWorkflowId, 'text');
  if (withoutTeams.length > 0) conditions.push(`e.workspace <> all ($${values.push(withoutTeams)}::text[])`);
  return {
    toSource: maxRows => `
      select n.id from unnest($1::text[]) as s(status) cross join lateral (
        select e.id from executions e where ${sourceCondition} and e.status = s.status and e.${ID} >= $2 and e.${ID} < $3
        order by e.${ID} desc limit ${maxRows}) n
      order by n.${ID} desc limit ${maxRows}`,
    sourceCondition,
    matches: conditions.join(' and ') || 'true',
    values,
    sourceValueCount,
  };
}

// An id starts with its creation time, and created_at is read from the clock at the same moment.
const SLACK_MS = 2000;

/** Returns the lower bound (inclusive) and upper bound (exclusive) of ids for a time range, so that an index can be used. */
export function toIdRange({
  createdAfter,
  createdBefore,
  before,
}: Pick<ExecutionFilter, 'createdAfter' | 'createdBefore' | 'before'>): readonly [string, string] {
  const firstId = getFirstIdAt('execution', (createdAfter?.getTime() ?? 0) - SLACK_MS);
  const endId = getFirstIdAt('execution', (createdBefore?.getTime() ?? Number.POSITIVE_INFINITY) + SLACK_MS);
  return [firstId, before !== null && before < endId ? before : endId];
}

/**
 * Conditions on the runs of a user or workflow. A user who has left a team does not see the runs of the team, unless their
 * workflow is shared with the user.
 */
const OWNERS = {
  user: `e.user_id = $1::int and (${isStillMemberSql('e.workspace', '$1::int')} or exists (
      select from ${USER_SHARES} p where p.workflow_id = e.workflow_id and p.user_id = $1::int))`,
  workflow: 'e.workflow_id = $1::text',
} as const;
type Statements = Readonly<Record<keyof typeof OWNERS, string>>;

const perOwner = (write: (owner: string) => string): Statements => ({
  user: write(OWNERS.user),
  workflow: write(OWNERS.workflow),
});

// The collation of two indexes. With that of the primary key, a plan might scan the rows of all users.
const IS_IN_RANGE = `${ID} >= $5 and ${ID} < $6
    and ($3::timestamptz is null or created_at > $3) and ($4::timestamptz is null or created_at < $4)
    and workspace <> all ($8::text[])`;
const NEWEST_PAGE = `order by ${ID} desc limit $7`;

/** A page of requests of the maximum size would take hundreds of megabytes. */
const MAX_REQUEST_BYTES = 32_768;

/**
 * The request, or only the metadata of a long one; null if the metadata is long too. PostgreSQL cannot read a member
 * beside escapes such as `\u0000`, so the metadata of a long request with any `\u` is left out.
 */
const REQUEST = `case when octet_length(e.request) <= ${MAX_REQUEST_BYTES} then e.request
  when strpos(e.request, '\\u') = 0 then (
    select '{"metadata":' || m.text || '}' from (select (e.request::json -> 'metadata')::text as text) m
    where octet_length(m.text) <= ${MAX_REQUEST_BYTES}) end`;

/** Selects the runs with these ids, as one array, so that joined rows are always looked up one by one. */
const selectPage = (ids: string): string => `
select ${LISTED_COLUMNS}, ${REQUEST} as request, ${LISTED_DETAILS}, (select name from users u where u.id = e.user_id) as user_name
from executions e left join deliveries d on d.execution_id = e.id
  left join run_credits c on c.execution_id = e.id
where e.id = any (array(${ids})) order by e.id desc`;

const SELECT_IDS = selectPage('select unnest($1::text[])');

/** Selects the newest runs of each status, from an index of owner, status and id. */
const BY_STATUS = perOwner(owner =>
  selectPage(`
  select n.id from unnest($2::text[]) as s(status) cross join lateral (
    select id from executions e where ${owner} and status = s.status and ${IS_IN_RANGE} ${NEWEST_PAGE}) n
  ${NEWEST_PAGE}`),
);

/** Finds the few executions of the key first. Without `materialized`, a plan may scan all executions of the owner. */
const BY_KEY = perOwner(owner =>
  selectPage(`
  with found as materialized (
    select id, user_id, workflow_id, workspace, status, created_at from executions where idempotency_key = $9)
  select id from found e where ${owner} and status = any ($2::text[]) and ${IS_IN_RANGE} ${NEWEST_PAGE}`),
);
