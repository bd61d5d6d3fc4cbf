// Lists the runs of a workspace or of the whole instance. Each page examines a limited number of rows, newest first,
// from the index that fits the filter best. If too few rows match, the page says where to continue.
import type { Db, Tx } from './db.ts';
import { type ExecutionListRow, LISTED_DETAILS, type ListedDetails, toIdRange } from './execution-lists.ts';
import { type ExecutionStatus, LISTED_COLUMNS } from './executions.ts';
import { isStillMemberSql } from './permissions.ts';
import { all } from './rows.ts';
import {
  findRunIds,
  ID,
  MAX_EXAMINED,
  type RunPageOptions,
  type RunSearch,
  selectMatching,
  withIndexPlans,
} from './run-search.ts';

export interface WorkspaceRunFilter {
  /** The reader, whose personal workspace is always included. */
  readonly readerId: number;
  /** null for all workspaces. */
  readonly workspace: string | null;
  /** Whether to include personal workspaces of other users. */
  readonly includesPersonal: boolean;
  readonly workflowId: string | null;
  readonly userId: number | null;
  /** Lists only runs with a node of this paid type. */
  readonly model: string | null;
  readonly errorCode: string | null;
  readonly trigger: string | null;
  /** The type of the node that failed the run. */
  readonly failedNodeType: string | null;
  readonly statuses: readonly ExecutionStatus[];
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
  /** The cursor: lists only ids smaller than this. */
  readonly before: string | null;
}

export interface WorkspaceRunRow extends Omit<ExecutionListRow, 'metadata'>, ListedDetails {
  /** null if the workflow was deleted. */
  readonly workflow_name: string | null;
  /** null if the team was deleted. */
  readonly workspace_name: string | null;
  readonly models: readonly string[];
  /** Whether the reader may open the run. Ignores workflows that are only shared with the reader. */
  readonly may_open: boolean;
}

export interface WorkspaceRunPage {
  readonly rows: readonly WorkspaceRunRow[];
  /** The last examined id, if older runs may match. Undefined if the page is full or no more runs match. */
  readonly resumeBeforeId: string | undefined;
}

/** Lists the runs, newest first. */
export function listWorkspaceRunRows(
  db: Pick<Db, 'transaction'>,
  filter: WorkspaceRunFilter,
  options: RunPageOptions,
): Promise<WorkspaceRunPage> {
  return withIndexPlans(db, tx => readPage(tx, filter, options));
}

async function readPage(
  tx: Tx,
  filter: WorkspaceRunFilter,
  options: RunPageOptions,
): Promise<WorkspaceRunPage> {
  const { ids, resumeBeforeId } = await findRunIds(tx, toSearch(filter, options.words !== null), options);
  const rows = await all<WorkspaceRunRow>(
    tx,
    `select ${LISTED_COLUMNS}, coalesce(u.name, '') as user_name, w.name as workflow_name, coalesce(t.name, p.name) as workspace_name,
       array(select m.model from run_models m where m.execution_id = e.id order by m.model) as models,
       ${mayOpen('$2::int')} as may_open, ${LISTED_DETAILS}
     from executions e left join deliveries d on d.execution_id = e.id
       left join run_credits c on c.execution_id = e.id
       left join users u on u.id = e.user_id
       left join workflows w on w.id = e.workflow_id and w.deleted_at is null
       left join teams t on t.id = e.workspace
       left join users p on p.id = ${PERSONAL_ID}
     where e.id = any ($1::text[]) order by e.id desc`,
    [ids, filter.readerId],
  );
  return { rows, resumeBeforeId };
}

export interface FailureGroup {
  readonly code: string;
  readonly node_type: string | null;
  readonly runs: number;
  readonly workflows: number;
  readonly users: number;
  readonly last_at: Date;
  /** The message of the newest run. */
  readonly message: string;
}

const MAX_GROUPS = 50;

/** Groups the newest failed runs by error code and failed node type, largest group first. */
export function listFailureGroups(
  db: Pick<Db, 'transaction'>,
  filter: Omit<WorkspaceRunFilter, 'statuses'>,
): Promise<readonly FailureGroup[]> {
  const search = toSearch({ ...filter, statuses: ['FAILED', 'TIMEOUT'] });
  return withIndexPlans(db, tx =>
    all(
      tx,
      `select error->>'code' as code, error->>'nodeType' as node_type, count(*)::int as runs,
       count(distinct workflow_id)::int as workflows, count(distinct user_id)::int as users,
       max(created_at) as last_at, (array_agg(error->>'message' order by id desc))[1] as message
     from (
       select e.id, e.workflow_id, e.user_id, e.created_at, e.error::json as error
       from executions e where e.error is not null and e.id = any (array(${selectMatching(search, MAX_EXAMINED)}))) f
     group by 1, 2 order by runs desc, last_at desc limit ${MAX_GROUPS}`,
      search.values,
    ),
  );
}

/** How many of the newest failures are grouped. */
export const MAX_GROUPED = MAX_EXAMINED;

/** The user of a personal workspace, or null. */
const PERSONAL_ID = `case when e.workspace like 'user:%' then substr(e.workspace, 6)::int end`;

const mayOpen = (reader: string): string =>
  `(e.workspace = 'user:' || ${reader} or e.user_id = ${reader} and ${isStillMemberSql('e.workspace', reader)} or exists (
  select from team_members r where r.team_id = e.workspace and r.user_id = ${reader} and r.role in ('OWNER', 'EDITOR')))`;

/** The filters that have an index with the status and the id, the most selective first. */
const INDEXED_FILTERS = [
  ['workflowId', 'e.workflow_id', 'text'],
  ['userId', 'e.user_id', 'int'],
  ['workspace', 'e.workspace', 'text'],
] as const;

function toSearch(filter: WorkspaceRunFilter, mustOpen = false): RunSearch {
  const { createdAfter, createdBefore, model } = filter;
  const values: unknown[] = [filter.statuses, ...toIdRange(filter)];
  const add = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const owner = model === null ? INDEXED_FILTERS.find(([name]) => filter[name] !== null) : undefined;
  const modelValue = model === null ? '' : add(model, 'text');
  const ownerCondition = owner === undefined ? 'true' : `${owner[1]} = ${add(filter[owner[0]], owner[2])}`;
  const sourceValueCount = values.length;
  const conditions = model === null ? [] : [`e.status = any ($1::text[])`];
  const compare = (column: string, operator: string, value: unknown, type: string): void => {
    if (value !== null) conditions.push(`${column} ${operator} ${add(value, type)}`);
  };
  for (const [name, column, type] of INDEXED_FILTERS)
    if (name !== owner?.[0]) compare(column, '=', filter[name], type);
  if (filter.workspace === null && !filter.includesPersonal)
    conditions.push(
      `(e.workspace not like 'user:%' or e.workspace = 'user:' || ${add(filter.readerId, 'int')})`,
    );
  compare('e.created_at', '>', createdAfter, 'timestamptz');
  compare('e.created_at', '<', createdBefore, 'timestamptz');
  compare(`e.error::json->>'code'`, '=', filter.errorCode, 'text');
  compare(`e.error::json->>'nodeType'`, '=', filter.failedNodeType, 'text');
  compare('e.trigger', '=', filter.trigger, 'text');
  // Words must not tell what runs contain that the reader may not open.
  if (mustOpen) conditions.push(mayOpen(add(filter.readerId, 'int')));
  return {
    toSource: maxRows =>
      model === null ? selectByStatus(ownerCondition, maxRows) : selectByModel(modelValue, maxRows),
    sourceCondition:
      model === null
        ? ownerCondition
        : `exists (select from run_models m where m.execution_id = e.id and m.model = ${modelValue})`,
    matches: conditions.join(' and ') || 'true',
    values,
    sourceValueCount,
  };
}

/** Selects the newest runs of each status, from an index on owner, status and id. */
const selectByStatus = (ownerCondition: string, maxRows: number): string => `
  select n.id from unnest($1::text[]) as s(status) cross join lateral (
    select e.id from executions e where ${ownerCondition} and e.status = s.status and e.${ID} >= $2 and e.${ID} < $3
    order by e.${ID} desc limit ${maxRows}) n
  order by n.${ID} desc limit ${maxRows}`;

const selectByModel = (model: string, maxRows: number): string => `
  select m.execution_id as id from run_models m
  where $1::text[] is not null and m.model = ${model} and m.execution_id collate "C" >= $2 and m.execution_id collate "C" < $3
  order by m.execution_id collate "C" desc limit ${maxRows}`;
