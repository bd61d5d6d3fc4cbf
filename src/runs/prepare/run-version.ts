// Replaces component calls in a version with the components' nodes: for a new run with a permission check, and later
// exactly as the run was accepted.
import type { ComponentCall } from '../../graph/components/calls.ts';
import { ComponentError } from '../../graph/components/component-error.ts';
import { expandGraph } from '../../graph/components/expand.ts';
import { quote } from '../../graph/issues.ts';
import type { Graph } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import {
  type Component,
  type Components,
  readComponents,
} from '../../services/components/read-components.ts';
import {
  createRunnableGraph,
  type GraphVersion,
  type RunnableGraph,
  toGraphText,
} from '../../services/workflows/graph-versions.ts';
import type { ExecutionRow } from '../../store/executions.ts';
import {
  type CallAccess,
  listForbiddenCalls,
  listReadableWorkflows,
} from '../../store/workflows/components.ts';
import type { RunDeps } from '../deps.ts';
import type { RunRequest } from './run.schema.ts';
import { configureVersion } from './run-config.ts';
import { parseRunRequest } from './run-request.ts';

type ExpandDeps = Pick<RunDeps, 'db' | 'catalog' | 'versions'>;

/** By workflow id, the versions of components whose calls name no version; null if there are no such calls. */
type LatestVersions = ExecutionRow['components'];

/** A version with the nodes of its components in place of the calls. */
export interface ExpandedVersion {
  readonly runnable: RunnableGraph;
  readonly components: LatestVersions;
}

/** The graph whose calls are expanded. */
export type CallingGraph =
  | {
      readonly kind: 'stored';
      readonly workflowId: string;
      readonly versionNumber: number;
      /** The versions of components that calls of the latest version use. Default: the current ones. */
      readonly components?: LatestVersions;
    }
  /** A graph that is not stored. It may call every component that the user may read. */
  | { readonly kind: 'unstored'; readonly workflowId: string | undefined; readonly userId: number };

/**
 * Expands the calls of a graph for a new run or an estimate. Throws 400 `component_missing`, and 403 `component_forbidden` if the
 * user who added a call may no longer read its component, both with the path of the call. Throws 400 if the calls form a
 * cycle or exceed a limit.
 */
export async function expandForUser(
  deps: ExpandDeps,
  version: GraphVersion,
  caller: CallingGraph,
): Promise<ExpandedVersion> {
  if (version.componentCalls.length === 0) return { runnable: version, components: null };
  const isStored = caller.kind === 'stored';
  const latest = isStored ? (caller.components ?? undefined) : undefined;
  const components = await readComponents(deps, deps.db, version.componentCalls, latest);
  const list = components.list();
  const root = isStored ? { workflowId: caller.workflowId, version: caller.versionNumber } : UNSTORED_GRAPH;
  const callers = isStored ? [root, ...list] : list;
  const forbiddenCalls = new Set((await listForbiddenCalls(deps.db, callers)).map(toForbiddenKey));
  if (!isStored)
    for (const id of await listUnreadableIds(deps, version.componentCalls, caller.userId))
      forbiddenCalls.add(toCallKey(root, id));
  const find = (call: ComponentCall, path: readonly ComponentCall[]): Graph => {
    const component = components.find(call);
    const outerCall = path.at(-1);
    const outer = outerCall === undefined ? root : (components.find(outerCall) ?? UNSTORED_GRAPH);
    if (component === undefined || component.isDeleted) throw createMissingComponentError(call, path);
    if (forbiddenCalls.has(toCallKey(outer, call.workflowId))) throw createForbiddenCallError(call, path);
    return component.graph;
  };
  const isCacheable = forbiddenCalls.size === 0 && !list.some(({ isDeleted }) => isDeleted);
  return expand(deps, version, { components, find, workflowId: caller.workflowId, isCacheable });
}

const UNSTORED_GRAPH = { workflowId: '', version: 0 };

async function listUnreadableIds(
  { db }: ExpandDeps,
  calls: readonly ComponentCall[],
  userId: number,
): Promise<readonly string[]> {
  const ids = [...new Set(calls.map(({ workflowId }) => workflowId))];
  const readable = new Set((await listReadableWorkflows(db, ids, { userId })).map(({ id }) => id));
  return ids.filter(id => !readable.has(id));
}

/** The columns of a run that determine what it executes. Without `components`, calls use the current versions. */
export type RunVersionKey = Pick<ExecutionRow, 'workflow_id' | 'workflow_version' | 'request'> &
  Partial<Pick<ExecutionRow, 'components'>>;

/** Returns the key of a run of this version without config or inputs. */
export const toVersionKey = (
  workflowId: string,
  version: number,
  /** JSON text of the nodes to run. */
  targets: string | null = null,
): RunVersionKey => ({
  workflow_id: workflowId,
  workflow_version: version,
  request: targets === null ? '{}' : `{"targets":${targets}}`,
});

/**
 * Returns the version that an accepted run executes, including components that were deleted since. Pass the run's
 * request if it has been parsed.
 */
export async function readRunVersion(
  deps: ExpandDeps,
  row: RunVersionKey,
  { config }: Pick<RunRequest, 'config'> = parseRunRequest(row.request),
): Promise<RunnableGraph> {
  const storedVersion = await deps.versions.get(deps.db, row.workflow_id, row.workflow_version);
  const version = configureVersion(deps, storedVersion, config);
  if (version.componentCalls.length === 0) return version;
  const latest = row.components;
  const cached = latest === undefined ? undefined : findExpanded(deps, version, latest);
  if (cached !== undefined) return cached;
  const components = await readComponents(deps, deps.db, version.componentCalls, latest ?? undefined);
  const find = (call: ComponentCall, path: readonly ComponentCall[]): Graph => {
    const component = components.find(call);
    if (component === undefined) throw createMissingComponentError(call, path);
    return component.graph;
  };
  return (await expand(deps, version, { components, find, workflowId: row.workflow_id, isCacheable: true }))
    .runnable;
}

/** Like `readRunVersion`, but returns undefined if the calls cannot be expanded. */
export async function findRunVersion(
  deps: ExpandDeps,
  row: RunVersionKey,
  request?: Pick<RunRequest, 'config'>,
): Promise<RunnableGraph | undefined> {
  try {
    return await readRunVersion(deps, row, request);
  } catch (err) {
    const isCallError =
      err instanceof AppError && (err.cause instanceof ComponentError || err.code === 'component_too_large');
    if (isCallError) return undefined;
    throw err;
  }
}

const toCallKey = (caller: Pick<Component, 'workflowId' | 'version'>, componentId: string): string =>
  `${caller.workflowId}@${caller.version} ${componentId}`;

const toForbiddenKey = ({ caller_id, caller_version, component_id }: CallAccess): string =>
  toCallKey({ workflowId: caller_id, version: caller_version }, component_id);

const toPath = (call: ComponentCall, path: readonly ComponentCall[]): string =>
  [...path, call].map(({ nodeId }) => nodeId).join('/');

function createMissingComponentError(call: ComponentCall, path: readonly ComponentCall[]): ComponentError {
  const nodeId = toPath(call, path);
  const message = `The component ${quote(call.label)} was deleted or does not exist. Restore it, or replace the node.`;
  return new ComponentError('component_missing', message, { nodeId });
}

function createForbiddenCallError(call: ComponentCall, path: readonly ComponentCall[]): ComponentError {
  const nodeId = toPath(call, path);
  const message = `The component ${quote(call.label)} is no longer shared with the user who added it. Ask its owner to share it.`;
  return new ComponentError('component_forbidden', message, { nodeId });
}

interface Expansion {
  readonly components: Components;
  readonly find: (call: ComponentCall, path: readonly ComponentCall[]) => Graph;
  readonly workflowId: string | undefined;
  /** Whether the same expansion may be used again. */
  readonly isCacheable: boolean;
}

async function expand(
  deps: ExpandDeps,
  version: GraphVersion,
  { components, find, workflowId, isCacheable }: Expansion,
): Promise<ExpandedVersion> {
  const latest = toLatestVersions(components);
  const cached = isCacheable ? findExpanded(deps, version, latest) : undefined;
  if (cached !== undefined) return { runnable: cached, components: latest };
  try {
    const list = components.list();
    const sizes = new Map([version, ...list].map(({ graph, characters }) => [graph, characters]));
    const measure = (graph: Graph): number => sizes.get(graph) ?? toGraphText(graph).length;
    const { catalog } = deps;
    const { graph, characters } = expandGraph(version.graph, {
      catalog,
      findGraph: find,
      measure,
      workflowId,
    });
    const parts = [version, ...list];
    const expanded = createRunnableGraph(
      {
        graph,
        mentionsSecrets: parts.some(part => part.mentionsSecrets),
        characters: parts.reduce((sum, part) => sum + part.characters, 0),
      },
      catalog,
    );
    const expansion = { version: expanded, key: toExpansionKey(latest), entries: catalog.entries };
    if (isCacheable) deps.versions.cacheExpansion(version, expansion, characters);
    return { runnable: expanded, components: latest };
  } catch (err) {
    if (!(err instanceof ComponentError)) throw err;
    throw new AppError(err.code, err.message, { cause: err, issues: err.issues });
  }
}

function toLatestVersions({ latest }: Components): LatestVersions {
  return latest.size === 0 ? null : Object.fromEntries(latest);
}

const toExpansionKey = (latest: LatestVersions): string =>
  JSON.stringify(Object.entries(latest ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));

function findExpanded(
  { catalog, versions }: ExpandDeps,
  version: GraphVersion,
  latest: LatestVersions,
): RunnableGraph | undefined {
  const cached = versions.findExpansion(version);
  return cached?.entries === catalog.entries && cached.key === toExpansionKey(latest)
    ? cached.version
    : undefined;
}
