// Lists the workflows of a user or team, most recently updated first.
import type { Tx } from '../db.ts';
import type { ExecutionStatus } from '../executions.ts';
import {
  isCreatorSql,
  isMemberSql,
  isShareNewSql,
  joinShares,
  STRONGER_ROLE,
  USER_SHARES,
} from '../permissions.ts';
import { POSTER, type ReadWorkflowRow } from './workflows.ts';

/** Additional data for cards. */
export interface WorkflowCard {
  readonly teamId: string | null;
  readonly folderId: string | null;
  readonly publishedSlug: string | null;
  /** `med_…/name`. */
  readonly poster: string | null;
  readonly lastExecution: {
    readonly id: string;
    readonly status: ExecutionStatus;
    readonly createdAt: string;
    readonly finishedAt: string | null;
  } | null;
  /** The number of workflows whose current version calls this workflow as a component. */
  readonly callerCount: number;
}

/** How a workflow is shared with the reader. */
export interface WorkflowShare {
  /** The user who shared it, or its creator if that is unknown. */
  readonly sharedBy: { readonly userId: number; readonly name: string };
  readonly sharedAt: string;
  /** Whether the reader has not opened it yet. */
  readonly isNew: boolean;
}

export interface WorkflowListRow
  extends Pick<
    ReadWorkflowRow,
    | 'id'
    | 'user_id'
    | 'team_id'
    | 'name'
    | 'description'
    | 'tags'
    | 'is_active'
    | 'is_published'
    | 'link_permission'
    | 'webhook_id'
    | 'webhook_url'
    | 'share_role'
    | 'team_role'
    | 'media_user_id'
  > {
  /** Times in ISO 8601, because PostgreSQL formats hundreds of them faster than we would parse and format them. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_executed_at: string | null;
  readonly execution_count: number;
  /** Runs that `execution_counts` does not include yet. */
  readonly uncounted: number;
  /** Present if cards were requested. */
  readonly card?: WorkflowCard;
  /** Present in the list of shared workflows. */
  readonly share?: WorkflowShare;
}

export interface WorkflowFilter {
  readonly userId: number;
  readonly isActive: boolean | null;
  readonly mediaId: string | null;
  /** Lists the workflows of this team instead of the user's own. */
  readonly teamId: string | null;
  /** Without a team: lists what the user created, what of it has no team, or what others have shared with the user. */
  readonly ownership: 'own' | 'personal' | 'shared';
  /** A part of the name, the description or a tag, ignoring case. */
  readonly query: string | null;
  readonly tag: string | null;
  /** The id of a folder, or `root` for workflows in no folder. */
  readonly folderId: string | null;
  readonly isPublished: boolean | null;
  /** Whether other workflows call the workflow as a component. */
  readonly isComponent: boolean | null;
  /** The id of a workflow. Lists only workflows that this workflow can call without forming a cycle. */
  readonly callableFrom: string | null;
  /** The status of the last run, or `NONE` for workflows without runs. */
  readonly status: ExecutionStatus | 'NONE' | null;
  /** Leaves out the workflows of these teams. */
  readonly withoutTeams: readonly string[] | null;
  /** Whether the list shows cards. */
  readonly form: 'line' | 'card';
  readonly before: WorkflowListKey | null;
  readonly limit: number;
}

/** The position of a workflow in lists. */
export interface WorkflowListKey {
  readonly updatedAtMs: number;
  readonly id: string;
}

export async function listWorkflows(tx: Tx, filter: WorkflowFilter): Promise<readonly WorkflowListRow[]> {
  const { teamId, before } = filter;
  const filterValues = FILTERS.map(([name]) => filter[name]);
  const kind = filterValues.every(value => value === null) ? 'all' : 'filtered';
  const { rows } = await tx.query<WorkflowListRow>(
    STATEMENTS[filter.form][teamId === null ? filter.ownership : 'team'][kind],
    [
      teamId ?? filter.userId,
      before === null ? null : new Date(before.updatedAtMs),
      before?.id ?? null,
      filter.limit,
      ...(kind === 'all' ? [] : filterValues),
      ...(teamId === null ? [] : [filter.userId]),
    ],
  );
  return rows;
}

const toIsoText = (time: string): string =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

interface Owner {
  readonly where: string;
  readonly roles: string;
  readonly joins: (user: string) => string;
}

const SHARE = `json_build_object('sharedBy', json_build_object('userId', b.id, 'name', b.name),
    'sharedAt', ${toIsoText('least(p.created_at, s.created_at)')}, 'isNew', ${isShareNewSql('$1::int')})`;
const OWN_ROLES = 'null as share_role, m.role as team_role, null::int as media_user_id';
const joinMembers = (user: string): string =>
  `left join team_members m on m.team_id = w.team_id and m.user_id = ${user}`;
const OWNERS: Readonly<Record<WorkflowFilter['ownership'] | 'team', Owner>> = {
  own: { where: isCreatorSql('$1::int'), roles: OWN_ROLES, joins: () => joinMembers('$1::int') },
  personal: {
    where: 'w.user_id = $1::int and w.team_id is null',
    roles: 'null as share_role, null as team_role, null::int as media_user_id',
    joins: () => '',
  },
  shared: {
    where: `w.id in (select s.workflow_id from ${USER_SHARES} s where s.user_id = $1::int)
      and not ${isCreatorSql('$1::int')} and not ${isMemberSql('w.team_id', '$1::int')}`,
    roles: `${STRONGER_ROLE} as share_role, null as team_role, null::int as media_user_id, ${SHARE} as share`,
    joins: () => `${joinShares('$1::int')}
join users b on b.id = coalesce(p.shared_by, s.shared_by, w.user_id)`,
  },
  team: {
    where: 'w.team_id = $1::text',
    roles: `${STRONGER_ROLE} as share_role, m.role as team_role, d.user_id as media_user_id`,
    joins: user => `${joinShares(user)}
${joinMembers(user)}
left join media d on d.id = w.media_id`,
  },
};

const CALLERS = `from component_calls p join workflows u on u.id = p.caller_id
      where p.component_id = w.id and u.deleted_at is null`;

/** The maximum number of callers to follow, as in the search for cycles when a workflow is saved. */
const MAX_CALLERS = 20_000;

/** Selects the ids of the workflow and of all workflows that call it, directly or through other workflows. */
const selectWithCallers = (id: string): string => `with recursive caller (id) as (
      select ${id} union select c.caller_id from caller join component_calls c on c.component_id = caller.id
    ) select caller.id from caller limit ${MAX_CALLERS}`;

const CARD = `json_build_object('teamId', w.team_id, 'folderId', w.folder_id, 'publishedSlug', w.published_slug,
    'poster', ${POSTER}, 'lastExecution', case when last.id is not null then json_build_object('id', last.id,
    'status', last.status, 'createdAt', ${toIsoText('last.created_at')}, 'finishedAt', ${toIsoText('last.finished_at')}) end,
    'callerCount', (select count(distinct u.id) ${CALLERS}))`;
const FORMS = { line: '', card: `${CARD} as card,` } as const;

/**
 * Selects the newest run of a workflow, in the order of a dedicated index. If ordered by id only, PostgreSQL may scan the
 * runs of all workflows to find that this workflow has none.
 */
const latestRun = (workflow: string): string => `(
    select n.* from (
      select e.workflow_id, e.id, e.status, e.created_at, e.finished_at from executions e
      where e.workflow_id >= ${workflow} order by e.workflow_id, e.id desc limit 1) n
    where n.workflow_id = ${workflow})`;

const contains = (text: string, part: string): string => `strpos(lower(${text}), lower(${part})) > 0`;

/** Each filter's name, type and condition on a workflow. */
const FILTERS = [
  ['isActive', 'boolean', value => `w.is_active = ${value}`],
  ['mediaId', 'text', value => `w.media_id = ${value}`],
  [
    'query',
    'text',
    value => `(${contains('w.name', value)} or ${contains("coalesce(w.description, '')", value)}
      or exists (select from unnest(w.tags) as t (tag) where ${contains('t.tag', value)}))`,
  ],
  ['tag', 'text', value => `${value} = any (w.tags)`],
  ['folderId', 'text', value => `coalesce(w.folder_id, 'root') = ${value}`],
  ['isPublished', 'boolean', value => `w.is_published = ${value}`],
  ['isComponent', 'boolean', value => `exists (select ${CALLERS}) = ${value}`],
  ['callableFrom', 'text', value => `w.id not in (${selectWithCallers(value)})`],
  ['status', 'text', value => `coalesce((select status from ${latestRun('w.id')} l), 'NONE') = ${value}`],
  ['withoutTeams', 'text[]', value => `(w.team_id is null or w.team_id <> all (${value}))`],
] as const satisfies readonly (readonly [keyof WorkflowFilter, string, (value: string) => string])[];

/** The parameter number of the first filter, after the owner, the position (two) and the row limit. */
const FIRST_FILTER = 5;
const FILTER_CONDITIONS = FILTERS.map(([, type, toCondition], index) => {
  const value = `$${FIRST_FILTER + index}::${type}`;
  return `\n    and (${value} is null or ${toCondition(value)})`;
}).join('');

/**
 * Unfiltered lists have their own statement. With filters that may be null, PostgreSQL plans the statement each time,
 * which takes as long as finding the rows.
 */
const KINDS = {
  all: { filters: '', user: `$${FIRST_FILTER}` },
  filtered: { filters: FILTER_CONDITIONS, user: `$${FIRST_FILTER + FILTERS.length}` },
} as const;

/**
 * Builds the statement of a list, which selects the ids of the page as one array, so that PostgreSQL joins by index lookups.
 */
const buildList = (
  owner: keyof typeof OWNERS,
  form: keyof typeof FORMS,
  kind: keyof typeof KINDS,
): string => `
select w.id, w.user_id, w.team_id, w.name, w.description, w.tags, w.is_active, w.is_published, w.link_permission,
  w.webhook_id, w.webhook_url, ${OWNERS[owner].roles}, ${FORMS[form]}
  ${toIsoText('w.created_at')} as created_at, ${toIsoText('w.updated_at')} as updated_at,
  (coalesce(c.count, 0) + runs.count)::int as execution_count, runs.count::int as uncounted,
  ${toIsoText('last.created_at')} as last_executed_at
from workflows w
${OWNERS[owner].joins(KINDS[kind].user)}
left join execution_counts c on c.workflow_id = w.id
left join lateral ${latestRun('w.id')} last on true
left join lateral (
  select count(*) as count from executions e
  where last.id is not null and e.workflow_id = w.id and e.id > coalesce(c.through_id, '')) runs on true
where w.id = any (array(
  select w.id from workflows w
  where ${OWNERS[owner].where} and w.deleted_at is null
    and (w.updated_at, w.id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::text, ''))${KINDS[kind].filters}
  order by w.updated_at desc, w.id desc limit $4))
order by w.updated_at desc, w.id desc`;

const perKind = (owner: keyof typeof OWNERS, form: keyof typeof FORMS) => ({
  all: buildList(owner, form, 'all'),
  filtered: buildList(owner, form, 'filtered'),
});
const perOwner = (form: keyof typeof FORMS) => ({
  own: perKind('own', form),
  personal: perKind('personal', form),
  shared: perKind('shared', form),
  team: perKind('team', form),
});
const STATEMENTS = { line: perOwner('line'), card: perOwner('card') };
