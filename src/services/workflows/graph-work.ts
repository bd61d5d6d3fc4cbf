// Runs tasks on graphs: immediately for small graphs, in a worker thread for large ones. Before writes and lints,
// resolves the calls of components.
import { COMPONENT_CALL } from '../../graph/components/calls.ts';
import { hasErrors, type IssueList, type LintIssue, mergeIssues, NO_ISSUES } from '../../graph/issues.ts';
import type { Policy } from '../../graph/policy.ts';
import { AppError } from '../../lib/errors.ts';
import { createThreadPool, TaskTooCostlyError } from '../../lib/threads/pool.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import { type CatalogOrigin, getCatalogOrigin } from '../../nodes/catalog.ts';
import { listReadableWorkflows } from '../../store/workflows/components.ts';
import type { UserActor } from '../accounts/actor.ts';
import { listComponentIssues, selectIssues } from '../components/component-issues.ts';
import type { Component } from '../components/read-components.ts';
import {
  type Caller,
  hasCalls,
  type ResolveDeps,
  type ResolvedCalls,
  requireResolved,
  resolveCalls,
} from '../components/resolve-calls.ts';
import type { Deps } from '../deps.ts';
import { type GraphResults, type GraphTask, performGraphTask, type TaskOf } from './graph-task.ts';
import type { GraphContext, SentTask } from './graph-thread.ts';
import type { StoredGraph } from './graph-versions.ts';
import type { GraphWrite } from './write-graph.ts';

/** Of the components of a graph, at most this many are linted with it. */
const MAX_LINTED_COMPONENTS = 50;
const MAX_NODES = 1000;
const MAX_EDGES = 1000;
/** Limit for the members of a graph at any depth and the references in its texts, since few nodes may contain many. */
const MAX_VALUES = 20_000;
/** Larger than a request body may be, since plain text is fast to process: 4 MB take 20 ms. */
const MAX_CHARACTERS = 5_000_000;
/** A file of this size takes about 20 ms to read. */
const MAX_IMPORT_CHARACTERS = 500_000;
/**
 * Limit for commas in the text of a stored graph, whose number approximates the number of values. The limit is higher
 * than MAX_VALUES, because prose contains commas too.
 */
const MAX_COMMAS = 300_000;
/** Limit for the time in the queue and the thread. On a busy machine, a task takes longer than its processor time. */
const WAIT_MS = 60_000;

const pool = createThreadPool<SentTask, GraphResults[GraphTask['kind']]>({
  module: new URL('./graph-thread', import.meta.url),
  threads: 2,
  timeoutMs: 15_000,
  maxHeapMb: 768,
  maxWaiting: 4,
});

type WorkDeps = Pick<Deps, 'catalog' | 'settings'>;

/** Returns the task's result, or undefined if the task needs a thread. Throws what the task throws. */
export function performInPlace<Kind extends GraphTask['kind']>(
  deps: WorkDeps,
  task: TaskOf<Kind>,
): GraphResults[Kind] | undefined {
  return getThreadOrigin(deps, task) === undefined ? performGraphTask<Kind>(deps, task) : undefined;
}

/** Returns the sources from which a thread builds its catalog, or undefined if the task is performed in place. */
const getThreadOrigin = (deps: WorkDeps, task: GraphTask): CatalogOrigin | undefined =>
  isLarge(task) ? getCatalogOrigin(deps.catalog) : undefined;

/**
 * Performs the task, in place or in a thread whose queue is fair among accounts. Throws what the task throws, and 503
 * `unavailable` if it takes too long, since a later attempt may succeed.
 */
export async function performGraphWork<Kind extends GraphTask['kind']>(
  deps: WorkDeps,
  task: TaskOf<Kind>,
): Promise<GraphResults[Kind]> {
  const origin = getThreadOrigin(deps, task);
  if (origin === undefined) return performGraphTask<Kind>(deps, task);
  const context = getContext(origin, deps.settings);
  try {
    const options = { context, signal: AbortSignal.timeout(WAIT_MS) };
    const { stored, ...input } = task as GraphTask & { readonly stored?: StoredGraph };
    return (await pool.run({ task: input, storedText: stored?.text }, options)) as GraphResults[Kind];
  } catch (err) {
    throw toUnavailableError(err);
  }
}

/** Returns the nodes of the task if they contain calls of components; undefined otherwise. */
export function findNodesWithCalls(task: GraphTask): readonly unknown[] | undefined {
  if (task.kind !== 'write' && task.kind !== 'lint' && task.kind !== 'restore') return undefined;
  const submittedNodes = task.kind === 'write' ? task.input.nodes : task.nodes;
  const nodes =
    submittedNodes === undefined && task.stored?.text.includes(COMPONENT_CALL)
      ? task.stored.graph.nodes
      : submittedNodes;
  return hasCalls(nodes) ? nodes : undefined;
}

type CheckDeps = ResolveDeps & WorkDeps;

/**
 * Prepares a graph for storage, with its calls resolved. `caller` is the workflow that the write changes. Throws 400
 * `invalid_graph`, and the errors of invalid calls.
 */
export async function performWrite(
  deps: CheckDeps,
  user: Pick<UserActor, 'userId' | 'closedTeams'>,
  task: TaskOf<'write'> | TaskOf<'restore'>,
  caller?: Caller,
): Promise<GraphWrite> {
  const nodes = findNodesWithCalls(task);
  if (nodes === undefined) return performGraphWork<'write' | 'restore'>(deps, task);
  const resolved = await resolveCalls(deps, user, nodes, caller);
  requireResolved(resolved.issueList);
  const write = await performGraphWork<'write' | 'restore'>(
    deps,
    task.kind === 'write'
      ? { ...task, input: { ...task.input, nodes: resolved.nodes } }
      : { ...task, nodes: resolved.nodes },
  );
  const issueList = mergeIssues(resolved.issueList, write.issueList);
  const policy = task.kind === 'write' ? task.input.policy : task.policy;
  if (policy === undefined) return { ...write, issueList };
  // Other issues inside of components are left to the lint, which is slower than a write may be.
  const { issues } = await lintComponents(deps, user, resolved, policy);
  const disallowed = issues.filter(({ code }) => code === 'not_allowed_by_policy');
  return { ...write, issueList: mergeIssues(issueList, { issues: disallowed, total: disallowed.length }) };
}

/** Lints a graph, with its calls resolved. */
export async function performLint(
  deps: CheckDeps,
  user: Pick<UserActor, 'userId' | 'closedTeams'>,
  task: TaskOf<'lint'>,
  caller?: Caller,
): Promise<GraphResults['lint']> {
  const nodes = findNodesWithCalls(task);
  if (nodes === undefined) return performGraphWork<'lint'>(deps, task);
  const resolved = await resolveCalls(deps, user, nodes, caller);
  const lint = await performGraphWork<'lint'>(deps, { ...task, nodes: resolved.nodes });
  const issueList = mergeIssues(resolved.issueList, lint);
  const ok = lint.ok && !hasErrors(issueList.issues);
  return { ...lint, ...mergeIssues(issueList, await lintComponents(deps, user, resolved, task.policy)), ok };
}

/** Lints the components that the user may read. */
async function lintComponents(
  deps: CheckDeps,
  user: Pick<UserActor, 'userId' | 'closedTeams'>,
  { tree }: ResolvedCalls,
  policy: Policy | undefined,
): Promise<IssueList> {
  if (tree === undefined) return NO_ISSUES;
  const all = tree.components.list().slice(0, MAX_LINTED_COMPONENTS);
  const ids = [...new Set(all.map(({ workflowId }) => workflowId))];
  const readable = new Set((await listReadableWorkflows(deps.db, ids, user)).map(({ id }) => id));
  const issues = new Map<Component, readonly LintIssue[]>();
  for (const component of all) {
    if (!readable.has(component.workflowId)) continue;
    issues.set(component, await lintComponent(deps, component, policy));
    await yieldTurn();
  }
  return listComponentIssues(tree.calls, tree.components, component => issues.get(component) ?? []);
}

/** Returns no issues for a component whose lint takes too long, because the caller can be linted without it. */
async function lintComponent(
  deps: CheckDeps,
  component: Component,
  policy: Policy | undefined,
): Promise<readonly LintIssue[]> {
  const { nodes, edges } = component.graph;
  try {
    const { issues } = await performGraphWork<'lint'>(deps, { kind: 'lint', nodes, edges, policy });
    return selectIssues(component, issues);
  } catch (err) {
    if (err instanceof AppError && err.code === 'unavailable') return [];
    throw err;
  }
}

/** Returns a 503 error if the task exceeded a limit of the threads. Returns any other error unchanged. */
function toUnavailableError(err: unknown): unknown {
  if (err instanceof TaskTooCostlyError) {
    const message =
      'Checking the graph took too much time or memory. Try again in a moment. If that fails too, split the workflow.';
    return new AppError('unavailable', message, { cause: err, headers: { 'retry-after': '10' } });
  }
  if (err instanceof DOMException && err.name === 'TimeoutError') {
    const message = 'Too many large graphs are being checked. Try again in a moment.';
    return new AppError('unavailable', message, { cause: err, headers: { 'retry-after': '2' } });
  }
  return err;
}

// One context per catalog, since the thread rebuilds its catalog when it receives another context.
const contexts = new WeakMap<CatalogOrigin, GraphContext>();

function getContext(origin: CatalogOrigin, { ARRANGE_ON_WRITE }: Deps['settings']): GraphContext {
  const cached = contexts.get(origin);
  if (cached !== undefined) return cached;
  const context = { origin, settings: { ARRANGE_ON_WRITE } };
  contexts.set(origin, context);
  return context;
}

function isLarge(task: GraphTask): boolean {
  if (task.kind === 'import') return task.text.length > MAX_IMPORT_CHARACTERS;
  if (task.stored !== undefined && isLargeText(task.stored.text)) return true;
  if (task.kind === 'config') return !isSmallValue(task.config);
  const { nodes, edges }: { readonly nodes?: unknown; readonly edges?: unknown } =
    task.kind === 'write' ? task.input : 'nodes' in task ? task : {};
  if (Array.isArray(nodes) && nodes.length > MAX_NODES) return true;
  if (Array.isArray(edges) && edges.length > MAX_EDGES) return true;
  return !isSmallValue([nodes, edges]);
}

/** Estimates the cost of a stored graph from its text, because parsing it may already take too long. */
const isLargeText = (text: string): boolean =>
  text.length > MAX_CHARACTERS ||
  countUpTo(text, '":', MAX_VALUES) + countUpTo(text, REFERENCE, MAX_VALUES) >= MAX_VALUES ||
  countUpTo(text, ',', MAX_COMMAS) >= MAX_COMMAS;

/** The start of a reference in a template. */
const REFERENCE = '{{';

/** Counts the occurrences of the part in the text, up to `limit`. */
function countUpTo(text: string, part: string, limit: number): number {
  let count = 0;
  for (
    let offset = text.indexOf(part);
    offset >= 0 && count < limit;
    offset = text.indexOf(part, offset + part.length)
  )
    count++;
  return count;
}

/** Returns whether the value stays within MAX_VALUES and MAX_CHARACTERS. Stops counting at the limits. */
function isSmallValue(root: unknown): boolean {
  let values = 0;
  let characters = 0;
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') {
      characters += value.length;
      values += countUpTo(value, REFERENCE, MAX_VALUES);
    } else if (typeof value === 'object' && value !== null) {
      const isArray = Array.isArray(value);
      if (isArray && value.length > MAX_VALUES) return false;
      for (const key in value) {
        values++;
        if (!isArray) characters += key.length;
        if (values > MAX_VALUES) return false;
        stack.push((value as Record<string, unknown>)[key]);
      }
    }
    if (characters > MAX_CHARACTERS || values > MAX_VALUES) return false;
  }
  return true;
}
