// Reads the filters of the list of runs from the URL, and builds the query of the list.

import { useSession } from '../../lib/session.ts';
import { DAY_MS, usePeriodStart } from '../../lib/use-period-start.ts';
import { pickFilters, useSearchFilters } from '../../lib/use-search-filters.ts';
import type { messages } from './messages.ts';

/** Whose runs are listed: the query parameter `of`. */
export type RunScope = keyof typeof messages.scopes;

/** The filters that have the same names in the API. */
export const API_FILTERS = [
  'q',
  'status',
  'trigger',
  'userId',
  'workflowId',
  'model',
  'errorCode',
  'failedNodeType',
  'teamId',
] as const;
export type ApiFilter = (typeof API_FILTERS)[number];

const PERIOD_MS: Readonly<Record<string, number>> = {
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};

export interface RunFilters {
  readonly scope: RunScope;
  /** The scopes that this user may choose. */
  readonly scopes: readonly RunScope[];
  readonly values: Readonly<Partial<Record<ApiFilter | 'period' | 'personal', string>>>;
  /** Path of the list of runs. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Path of the failure groups. Undefined if the user's own runs are listed. */
  readonly failuresPath: string | undefined;
  readonly isFiltered: boolean;
  /** Sets filters. An empty value removes a filter. */
  readonly set: (changes: Readonly<Record<string, string>>) => void;
  readonly clear: () => void;
}

const PATHS = {
  mine: ['/executions', undefined],
  workspace: ['/workspace/executions', '/workspace/failures'],
  instance: ['/admin/executions', '/admin/failures'],
} as const satisfies Record<RunScope, readonly [string, string | undefined]>;

/** The filters of each scope. */
const FILTERS_BY_SCOPE: Readonly<Record<RunScope, readonly ApiFilter[]>> = {
  mine: ['q', 'status', 'trigger', 'workflowId'],
  workspace: API_FILTERS.filter(name => name !== 'teamId'),
  instance: API_FILTERS,
};

export function useRunFilters(): RunFilters {
  const { search, change, replaceAll } = useSearchFilters();
  const { user, workspace } = useSession();
  const scopes = (['mine', 'workspace', 'instance'] as const).filter(
    name => name === 'mine' || (name === 'instance' ? user.isAdmin : workspace.role !== 'VIEWER'),
  );
  const scope = scopes.find(name => name === search.get('of')) ?? 'mine';
  const period = search.get('period') ?? '';
  const createdAfter = usePeriodStart(PERIOD_MS[period]);
  const values = pickFilters(search, [
    ...FILTERS_BY_SCOPE[scope],
    'period',
    ...(scope === 'instance' ? ['personal'] : []),
  ]);
  const { period: _, ...query } = values;
  const [path, failuresPath] = PATHS[scope];
  return {
    scope,
    scopes,
    values,
    path,
    failuresPath,
    query: { ...query, groupBatches: 'true', ...(createdAfter === undefined ? {} : { createdAfter }) },
    isFiltered: Object.keys(values).length > 0,
    set: change,
    clear: () => replaceAll(scope === 'mine' ? {} : { of: scope }),
  };
}
