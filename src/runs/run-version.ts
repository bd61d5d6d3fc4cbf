// Expands the calls of a version for a run: when it is accepted, with a check of rights, and later as it was accepted.
import type { ComponentCall } from '../graph/components/calls.ts';
import { ComponentError } from '../graph/components/component-error.ts';
import { expandGraph } from '../graph/components/expand.ts';
import { quote } from '../graph/issues.ts';
import type { Graph } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import { type Component, type Components, readComponents } from '../services/components/read-components.ts';
import { createVersion, type GraphVersion } from '../services/workflows/graph-versions.ts';
import type { ExecutionRow } from '../store/executions.ts';
import { type CallAccess, listForbiddenCalls, listReadable } from '../store/workflows/components.ts';
import type { RunDeps } from './deps.ts';
import type { RunRequest } from './run.schema.ts';
import { configureVersion } from './run-config.ts';
import { parseRunRequest } from './run-request.ts';

type ExpandDeps = Pick<RunDeps, 'db' | 'catalog' | 'versions'>;

/** The versions of components that are called at the latest one, by workflow id. null: none are. */
type LatestVersions = ExecutionRow['components'];

/** A version as a run executes it: with the nodes of its components in place of the calls. */
export interface RunVersion {
  readonly version: GraphVersion;
  readonly components: LatestVersions;
}

/** The graph that calls the components. */
export interface Caller {
  readonly workflowId: string | undefined;
  /** Absent for a graph that is not stored. It has the rights of the user. */
  readonly version?: number;
  readonly userId: number;
}

/**
 * Expands a version for a new run or an estimate. Throws 400 `component_missing`, and 403 `component_forbidden` if
 * whoever added a call may no longer read its component, each with the path of the call; 400 if the calls form a circle
 * or exceed a limit.
 */
export async function expandForStart(
  deps: ExpandDeps,
  version: GraphVersion,
  { workflowId, version: number, userId }: Caller,
): Promise<RunVersion> {
  if (version.calls.length === 0) return { version, components: null };
  const components = await readComponents(deps, deps.db, version.calls);
  const list = components.list();
  const root = workflowId === undefined || number === undefined ? undefined : { workflowId, version: number };
  const callers = root === undefined ? list : [root, ...list];
  const refused = new Set((await listForbiddenCalls(deps.db, callers)).map(toRefusedKey));
  if (root === undefined)
    for (const id of await listUnreadable(deps, version.calls, userId)) refused.add(toCallKey(UNSTORED, id));
  const find = (call: ComponentCall, path: readonly ComponentCall[]): Graph => {
    const component = components.find(call);
    const outer = path.at(-1);
    const caller = outer === undefined ? (root ?? UNSTORED) : (components.find(outer) ?? UNSTORED);
    if (component === undefined || component.isDeleted) throw missingComponent(call, path);
    if (refused.has(toCallKey(caller, call.workflowId))) throw forbiddenCall(call, path);
    return component.graph;
  };
  const isUsable = refused.size === 0 && !list.some(({ isDeleted }) => isDeleted);
  return expand(deps, version, { components, find, workflowId, isCached: isUsable });
}

const UNSTORED = { workflowId: '', version: 0 };

async function listUnreadable(
  { db }: ExpandDeps,
  calls: readonly ComponentCall[],
  userId: number,
): Promise<readonly string[]> {
  const ids = [...new Set(calls.map(({ workflowId }) => workflowId))];
  const readable = new Set((await listReadable(db, ids, userId)).map(({ id }) => id));
  return ids.filter(id => !readable.has(id));
}

/** The columns of a run that tell what it executes. Without `components`, current versions stand for latest ones. */
export type AcceptedRow = Pick<ExecutionRow, 'workflow_id' | 'workflow_version' | 'request'> &
  Partial<Pick<ExecutionRow, 'components'>>;

/** Returns the columns of a run of the version as it is. */
export const toPlainRun = (workflowId: string, version: number): AcceptedRow => ({
  workflow_id: workflowId,
  workflow_version: version,
  request: '{}',
});

/**
 * Returns the version that an accepted run executes. Components that were deleted since are still part of it. `request`:
 * that of the run, if it has been parsed.
 */
export async function readRunVersion(
  deps: ExpandDeps,
  row: AcceptedRow,
  { config }: Pick<RunRequest, 'config'> = parseRunRequest(row.request),
): Promise<GraphVersion> {
  const stored = await deps.versions.get(deps.db, row.workflow_id, row.workflow_version);
  const version = configureVersion(deps, stored, config);
  if (version.calls.length === 0) return version;
  const latest = row.components;
  const known = latest === undefined ? undefined : findExpanded(deps, version, latest);
  if (known !== undefined) return known;
  const components = await readComponents(deps, deps.db, version.calls, latest ?? undefined);
  const find = (call: ComponentCall, path: readonly ComponentCall[]): Graph => {
    const component = components.find(call);
    if (component === undefined) throw missingComponent(call, path);
    return component.graph;
  };
  return (await expand(deps, version, { components, find, workflowId: row.workflow_id, isCached: true }))
    .version;
}

/** Returns the same as `readRunVersion`; undefined if the calls cannot be expanded. */
export async function findRunVersion(
  deps: ExpandDeps,
  row: AcceptedRow,
  request?: Pick<RunRequest, 'config'>,
): Promise<GraphVersion | undefined> {
  try {
    return await readRunVersion(deps, row, request);
  } catch (err) {
    const isOfCalls =
      err instanceof AppError && (err.cause instanceof ComponentError || err.code === 'component_too_large');
    if (isOfCalls) return undefined;
    throw err;
  }
}

const toCallKey = (caller: Pick<Component, 'workflowId' | 'version'>, componentId: string): string =>
  `${caller.workflowId}@${caller.version} ${componentId}`;

const toRefusedKey = ({ caller_id, caller_version, component_id }: CallAccess): string =>
  toCallKey({ workflowId: caller_id, version: caller_version }, component_id);

const toPath = (call: ComponentCall, path: readonly ComponentCall[]): string =>
  [...path, call].map(({ nodeId }) => nodeId).join('/');

function missingComponent(call: ComponentCall, path: readonly ComponentCall[]): ComponentError {
  const nodeId = toPath(call, path);
  const message = `The component of ${quote(nodeId)} was deleted or does not exist. Restore it, or replace the node.`;
  return new ComponentError('component_missing', message, { nodeId });
}

function forbiddenCall(call: ComponentCall, path: readonly ComponentCall[]): ComponentError {
  const nodeId = toPath(call, path);
  const message = `The component of ${quote(nodeId)} is no longer shared with the user who added it. Ask its owner to share it.`;
  return new ComponentError('component_forbidden', message, { nodeId });
}

interface Expansion {
  readonly components: Components;
  readonly find: (call: ComponentCall, path: readonly ComponentCall[]) => Graph;
  readonly workflowId: string | undefined;
  /** Whether the same expansion may be used again. */
  readonly isCached: boolean;
}

async function expand(
  deps: ExpandDeps,
  version: GraphVersion,
  { components, find, workflowId, isCached }: Expansion,
): Promise<RunVersion> {
  const latest = toLatest(components);
  const known = isCached ? findExpanded(deps, version, latest) : undefined;
  if (known !== undefined) return { version: known, components: latest };
  try {
    const graph = expandGraph(version.graph, deps.catalog, find, workflowId);
    const expanded = createVersion({ graph }, deps.catalog);
    if (isCached) expansions.set(version, { key: toKey(latest), entries: deps.catalog.entries, expanded });
    return { version: expanded, components: latest };
  } catch (err) {
    if (!(err instanceof ComponentError)) throw err;
    throw new AppError(err.code, err.message, { cause: err, issues: err.issues });
  }
}

function toLatest({ latest }: Components): LatestVersions {
  return latest.size === 0 ? null : Object.fromEntries([...latest].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// The last expansion of each cached version. Its nodes share the configs of the components.
const expansions = new WeakMap<
  GraphVersion,
  { readonly key: string; readonly entries: RunDeps['catalog']['entries']; readonly expanded: GraphVersion }
>();

const toKey = (latest: LatestVersions): string =>
  JSON.stringify(Object.entries(latest ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));

function findExpanded(
  { catalog }: ExpandDeps,
  version: GraphVersion,
  latest: LatestVersions,
): GraphVersion | undefined {
  const known = expansions.get(version);
  return known?.entries === catalog.entries && known.key === toKey(latest) ? known.expanded : undefined;
}
