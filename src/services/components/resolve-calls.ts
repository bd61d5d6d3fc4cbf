// Resolves the calls of components in a submitted graph: checks them, and writes the interface of each component into
// its call, from which the ports are derived.
import { COMPONENT_CALL } from '../../graph/components/calls.ts';
import { ComponentError } from '../../graph/components/component-error.ts';
import { MAX_EXPANDED_NODES, readComponentTree } from '../../graph/components/component-tree.ts';
import { type ComponentInterface, getInterface } from '../../graph/components/interface.ts';
import {
  type IssueList,
  type LintIssue,
  MAX_ISSUES,
  NO_ISSUES,
  quote,
  toJsonPointer,
} from '../../graph/issues.ts';
import { type Graph, type GraphNode, toObject } from '../../graph/types.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import {
  listForbiddenCalls,
  listReadableWorkflows,
  listVersionCalls,
  type ReadableWorkflowRow,
} from '../../store/workflows/components.ts';
import type { UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { describeCycle, findCycle } from './component-cycle.ts';
import type { RootCall } from './component-issues.ts';
import {
  type Component,
  type ComponentRef,
  type Components,
  type ImportedComponents,
  readComponents,
} from './read-components.ts';

export type ResolveDeps = Pick<Deps, 'db' | 'catalog' | 'versions'> & {
  readonly imported?: ImportedComponents;
};

/** The workflow that a write changes. */
export interface Caller {
  readonly id: string;
  /** Versions whose calls may stay as they are, even if the writer may not add them. */
  readonly versions: readonly number[];
}

export interface ResolvedCalls {
  /** The nodes, with the interfaces of components unless there are errors. */
  readonly nodes: unknown;
  readonly issueList: IssueList;
  /** The calls and their components, at any depth. Undefined without calls. */
  readonly tree?: { readonly calls: readonly RootCall[]; readonly components: Components };
}

/** The maximum size of the ports that are written into a graph, in characters. */
const MAX_PORT_CHARACTERS = 1_000_000;

/** Returns whether the list, which may be malformed, has calls. */
export const hasCalls = (nodes: unknown): nodes is readonly unknown[] =>
  Array.isArray(nodes) && nodes.some(isSentCall);

const isSentCall = (node: unknown): boolean => toObject(toObject(node).data).nodeType === COMPONENT_CALL;

/** The facts that decide whether a call is allowed. */
interface CallFacts {
  readonly call: RootCall;
  readonly component: Component | undefined;
  /** Undefined if the writer may not read the workflow, or the workflow does not exist. */
  readonly readable: ReadableWorkflowRow | undefined;
  /** Whether the replaced version has the call too. */
  readonly wasCalledBefore: boolean;
  /** Whether nobody who added the call may still read the component. */
  readonly isForbidden: boolean;
}

/**
 * Writes version, name and ports into each call, replacing submitted values. A call that the workflow had before stays
 * even if its component was deleted or is no longer shared: then the result contains a warning, and runs fail with an
 * error that names the component. `caller` is undefined for a new workflow.
 */
export async function resolveCalls(
  deps: ResolveDeps,
  user: Pick<UserActor, 'userId' | 'closedTeams'>,
  nodes: unknown,
  caller?: Caller,
): Promise<ResolvedCalls> {
  if (!hasCalls(nodes)) return { nodes, issueList: NO_ISSUES };
  try {
    return await resolve(deps, user, nodes, caller);
  } catch (err) {
    if (!(err instanceof AppError) || err.code !== 'component_too_large') throw err;
    const issue = { severity: 'error', code: err.code, path: '/nodes', message: err.message } as const;
    return { nodes, issueList: toIssueList([issue]) };
  }
}

async function resolve(
  deps: ResolveDeps,
  user: Pick<UserActor, 'userId' | 'closedTeams'>,
  nodes: readonly unknown[],
  caller: Caller | undefined,
): Promise<ResolvedCalls> {
  if (nodes.filter(isSentCall).length > MAX_EXPANDED_NODES)
    return { nodes, issueList: toIssueList([createTooLargeIssue(`more than ${MAX_EXPANDED_NODES} calls`)]) };
  const previousCalls =
    caller === undefined ? [] : await listVersionCalls(deps.db, caller.id, caller.versions);
  const previousKeys = new Set(previousCalls.map(row => toKey(row.component_id, row.version ?? 'latest')));
  const ids = [...new Set(nodes.flatMap(node => parseSentCall(node)?.workflowId ?? []))];
  const { imported } = deps;
  const importedIds = ids.filter(id => imported?.has(id));
  const storedIds = ids.filter(id => !imported?.has(id));
  const rows = [
    ...importedIds.map(id => ({ id, version: 1, is_only: false })),
    ...(await listReadableWorkflows(deps.db, storedIds, user)),
  ];
  const readable = new Map(rows.map(row => [row.id, row]));
  const calls = nodes.flatMap((node, index): RootCall[] => {
    const sent = parseSentCall(node);
    if (sent === undefined) return [];
    return [{ ...sent, version: sent.version ?? readable.get(sent.workflowId)?.version ?? 'latest', index }];
  });
  const wasCalledBefore = ({ workflowId, version }: ComponentRef) =>
    previousKeys.has(toKey(workflowId, version));
  const forbiddenCalls =
    caller === undefined || calls.every(({ workflowId }) => readable.has(workflowId))
      ? []
      : await listForbiddenCalls(
          deps.db,
          caller.versions.map(version => ({ workflowId: caller.id, version })),
        );
  const forbiddenIds = new Set(forbiddenCalls.map(row => row.component_id));
  const components = await readComponents(deps, deps.db, calls);
  const issues = calls.flatMap(
    call =>
      findProblem({
        call,
        component: components.find(call),
        readable: readable.get(call.workflowId),
        wasCalledBefore: wasCalledBefore(call),
        isForbidden: forbiddenIds.has(call.workflowId),
      }) ?? [],
  );
  if (!issues.some(isError)) {
    const previousCount = previousCalls.reduce((sum, { node_ids }) => sum + node_ids.length, 0);
    const isGrowing = calls.length > previousCount || !calls.every(wasCalledBefore);
    const newIds = ids.filter(id => !previousCalls.some(row => row.component_id === id));
    const problem = await findTreeProblem(deps, user, { nodes, calls, newIds, caller, components });
    if (problem !== undefined)
      issues.push(isGrowing && problem.isOwn ? problem.issue : { ...problem.issue, severity: 'warning' });
  }
  if (issues.some(isError)) return { nodes, issueList: toIssueList(issues) };
  const findInterface = createInterfaceFinder(deps, components);
  const characters = calls.reduce((sum, call) => sum + (findInterface(call)?.characters ?? 0), 0);
  if (characters > MAX_PORT_CHARACTERS)
    return {
      nodes,
      issueList: toIssueList([createTooLargeIssue(`more than ${MAX_PORT_CHARACTERS / 1e6} MB of ports`)]),
    };
  return {
    nodes: writeInterfaces(nodes, calls, findInterface),
    issueList: toIssueList(issues),
    tree: { calls, components },
  };
}

/** Throws the first error in the list. */
export function requireResolved({ issues }: IssueList): void {
  const [first] = issues.filter(isError);
  if (first !== undefined) throw new AppError(first.code as ErrorCode, first.message, { issues });
}

const isError = ({ severity }: LintIssue): boolean => severity === 'error';

const toIssueList = (issues: readonly LintIssue[]): IssueList => ({
  issues: issues.toSorted((a, b) => Number(isError(b)) - Number(isError(a))).slice(0, MAX_ISSUES),
  total: issues.length,
});

const createTooLargeIssue = (excess: string): LintIssue => ({
  severity: 'error',
  code: 'component_too_large',
  path: '/nodes',
  message: `The workflow has ${excess} of components. Remove calls, or split the workflow.`,
});

const toKey = (workflowId: string, version: number | 'latest'): string => `${version} ${workflowId}`;

/** Returns the workflow and version of a call; undefined for another node, or a call that names no workflow. */
function parseSentCall(node: unknown) {
  if (!isSentCall(node)) return undefined;
  const { id, data } = toObject(node);
  const { config, params } = toObject(data);
  const { workflowId, version } = { ...toObject(config), ...toObject(params) };
  if (typeof workflowId !== 'string' || workflowId === '') return undefined;
  return { nodeId: String(id), workflowId, version: parseVersion(version) };
}

/** Returns undefined for an empty value, and 0, which no version has, for an invalid one. */
function parseVersion(version: unknown): number | 'latest' | undefined {
  if (version === undefined || version === null || version === '') return undefined;
  if (version === 'latest') return version;
  const number = typeof version === 'string' ? Number(version) : version;
  return Number.isInteger(number) && MIN_VERSION <= Number(number) && Number(number) <= MAX_VERSION
    ? (number as number)
    : 0;
}

const MIN_VERSION = 1;
/** PostgreSQL's largest integer. */
const MAX_VERSION = 2_147_483_647;

function findProblem(facts: CallFacts): LintIssue | undefined {
  const { call, component, readable, wasCalledBefore, isForbidden } = facts;
  const { index, nodeId, workflowId, version } = call;
  const toIssue = (code: string, key: string, message: string): LintIssue => ({
    severity: wasCalledBefore ? 'warning' : 'error',
    code,
    nodeId,
    path: toJsonPointer('nodes', index, 'data', 'config', key),
    message,
  });
  if (component === undefined && readable !== undefined) {
    const message = `${version === 0 ? 'The version' : `Version ${version}`} does not exist. Choose a version of the workflow, or "latest".`;
    return toIssue('component_missing', 'version', message);
  }
  if (component === undefined || (component.isDeleted && !wasCalledBefore)) {
    const message = `The component ${quote(workflowId)} does not exist. Choose another workflow, or remove the node.`;
    return toIssue('component_missing', 'workflowId', message);
  }
  const name = quote(component.name);
  if (component.isDeleted) {
    const message = `The component ${name} was deleted, so the workflow cannot run. Restore it, or remove the node.`;
    return toIssue('component_missing', 'workflowId', message);
  }
  if (readable === undefined && wasCalledBefore && isForbidden) {
    const message = `The component ${name} is no longer shared with the user who added it, so the workflow cannot run. Ask its owner to share it with you.`;
    return toIssue('component_forbidden', 'workflowId', message);
  }
  if (wasCalledBefore) return undefined;
  if (readable === undefined) {
    const message = `You don't have permission to use the workflow ${quote(workflowId)} as a component. Ask its owner to share it with you.`;
    return toIssue('component_forbidden', 'workflowId', message);
  }
  if (readable.is_only && readable.version !== version) {
    const message = `You may use only the published version ${readable.version} of the component ${name}.`;
    return toIssue('component_forbidden', 'version', message);
  }
  return undefined;
}

interface TreeProblem {
  readonly issue: LintIssue;
  /** Whether this write causes the problem. False for a problem inside a component. */
  readonly isOwn: boolean;
}

const OWN_CODES: readonly string[] = ['component_too_deep', 'component_too_large', 'component_circle'];

/** Finds the first problem of the component tree: a cycle, too many nodes or levels, or a component that cannot run. */
async function findTreeProblem(
  deps: ResolveDeps,
  user: Pick<UserActor, 'userId' | 'closedTeams'>,
  tree: {
    readonly nodes: readonly unknown[];
    readonly calls: readonly RootCall[];
    /** The components that the workflow does not call yet. */
    readonly newIds: readonly string[];
    readonly caller: Caller | undefined;
    readonly components: Components;
  },
): Promise<TreeProblem | undefined> {
  const { nodes, calls, newIds, caller, components } = tree;
  const toIssue = (code: string, path: string, message: string): LintIssue => {
    const call = calls.find(({ nodeId }) => path === nodeId || path.startsWith(`${nodeId}/`));
    return {
      severity: 'error',
      code,
      ...(call === undefined
        ? { path: '/nodes' }
        : { nodeId: call.nodeId, path: toJsonPointer('nodes', call.index, 'data', 'config', 'workflowId') }),
      message,
    };
  };
  if (caller !== undefined) {
    const cycle = await findCycle(deps.db, caller.id, newIds);
    const first = calls.find(({ workflowId }) => workflowId === cycle?.[1]);
    if (cycle !== undefined && first !== undefined) {
      const message = await describeCycle(deps.db, user, cycle);
      return { issue: toIssue('component_circle', first.nodeId, message), isOwn: true };
    }
  }
  try {
    const graph = toCallGraph(nodes, calls);
    const sizes = new Map(components.list().map(component => [component.graph, component.characters]));
    readComponentTree(graph, {
      catalog: deps.catalog,
      measure: measured => sizes.get(measured) ?? JSON.stringify(nodes).length,
      isExpanded: ({ data }) => data.nodeType === COMPONENT_CALL && data.config?.workflowId !== undefined,
      workflowId: caller?.id,
      findGraph(call, path) {
        const component = components.find(call);
        if (component !== undefined && (path.length === 0 || !component.isDeleted)) return component.graph;
        const nodeId = [...path, call].map(outer => outer.nodeId).join('/');
        const message = `The component ${quote(call.label)} was deleted or does not exist, so the workflow cannot run.`;
        throw new ComponentError('component_missing', message, { nodeId });
      },
    });
    return undefined;
  } catch (err) {
    if (!(err instanceof ComponentError)) throw err;
    const [{ nodeId } = { nodeId: '' }] = err.issues;
    const isOwn = OWN_CODES.includes(err.code);
    const message =
      err.cycle.length > 0
        ? await describeCycle(deps.db, user, err.cycle)
        : isOwn || err.code === 'component_missing'
          ? err.message
          : `The component at ${quote(nodeId)} cannot run. ${err.message}`;
    const code = isOwn || err.code === 'component_missing' ? err.code : 'component_cannot_run';
    return { issue: toIssue(code, nodeId, message), isOwn };
  }
}

/** Returns a graph with the versions of the calls resolved. The other nodes are included because they are counted. */
function toCallGraph(nodes: readonly unknown[], calls: readonly RootCall[]): Graph {
  const byIndex = new Map(calls.map(call => [call.index, call]));
  return {
    nodes: nodes.map((node, index): GraphNode => {
      const call = byIndex.get(index);
      const { nodeType } = toObject(toObject(node).data);
      return {
        id: String(toObject(node).id),
        type: 'basedNode',
        position: { x: 0, y: 0 },
        data: {
          label: '',
          category: 'logic',
          nodeType: String(nodeType),
          config: call === undefined ? {} : { workflowId: call.workflowId, version: call.version },
        },
      };
    }),
    edges: [],
  };
}

interface FoundInterface extends ComponentInterface {
  readonly component: Component;
  readonly characters: number;
}

/** Creates a function that finds the interface of a call, and reads the interface of each component only once. */
function createInterfaceFinder({ catalog }: ResolveDeps, components: Components) {
  const interfaces = new Map<Component, FoundInterface>();
  return (ref: ComponentRef): FoundInterface | undefined => {
    const component = components.find(ref);
    const cached = component && interfaces.get(component);
    if (component === undefined || cached !== undefined) return cached;
    const ports = getInterface(component.graph, catalog);
    const found = { ...ports, component, characters: JSON.stringify(ports).length };
    interfaces.set(component, found);
    return found;
  };
}

function writeInterfaces(
  nodes: readonly unknown[],
  calls: readonly RootCall[],
  findInterface: (ref: ComponentRef) => FoundInterface | undefined,
): readonly unknown[] {
  const written = [...nodes];
  for (const call of calls) {
    const found = findInterface(call);
    if (found === undefined) continue;
    const node = toObject(nodes[call.index]);
    const data = toObject(node.data);
    const { component, inputs, outputs } = found;
    const config = { ...toObject(data.config), version: call.version, name: component.name, inputs, outputs };
    written[call.index] = { ...node, data: { ...data, config } };
  }
  return written;
}
