// Finds the results that a new run reuses instead of running their nodes: still valid results of the run that `keep` names
// (kept), results of the runs that `pins` names for single nodes (pinned), and the template's recorded results of nodes
// whose provider is missing (sampled). Their steps are `cached`, like results from the node cache.
import { MAX_RUN_BYTES, measureStep, OUTPUT_TOO_LARGE, TOO_LARGE_ERROR } from '../../engine/output-size.ts';
import { type PlannedRun, reuseSteps, toCachedStep } from '../../engine/reuse.ts';
import type { Step } from '../../engine/types.ts';
import { toJsonPointer } from '../../graph/issues.ts';
import { createIdResolver, type Plan } from '../../graph/plan.ts';
import { hashCanonicalJson } from '../../lib/canonical-json.ts';
import { AppError, type Issue } from '../../lib/errors.ts';
import { type ExecutionRow, findExecution } from '../../store/executions.ts';
import { findSampleRun } from '../../store/runs.ts';
import type { RunDeps } from '../deps.ts';
import type { RunRequest } from './run.schema.ts';
import { parseRunRequest, readInputOverrides } from './run-request.ts';
import { readRunVersion, toVersionKey } from './run-version.ts';
import { readPlan, readWholeSteps } from './stored-run.ts';

export interface ReusedSteps {
  /** The execution that `keep` names. */
  readonly resumedFromId?: string;
  /** By node id. */
  readonly steps: ReadonlyMap<string, Step>;
}

interface ReuseRequest extends PlannedRun {
  readonly workflowId: string;
  readonly request: Pick<RunRequest, 'keep' | 'pins' | 'useSample'>;
}

/** The maximum number of executions that one request may refer to, because each is read completely. */
const MAX_PINNED_EXECUTIONS = 20;

/** Throws 400 `invalid_request` for an execution of another workflow, an active execution, or a missing result. */
export async function getReusedSteps(deps: RunDeps, reuse: ReuseRequest): Promise<ReusedSteps> {
  const { keep, pins = {} } = reuse.request;
  const keptSteps = keep === undefined ? [] : await getKeptSteps(deps, reuse, keep);
  const pinnedSteps = await getPinnedSteps(deps, reuse.workflowId, pins);
  const steps = new Map([...keptSteps, ...pinnedSteps].map(step => [step.nodeId, step]));
  if (reuse.request.useSample === true)
    for (const step of await getSampleSteps(deps, reuse, steps)) steps.set(step.nodeId, step);
  const bytes = steps.values().reduce((sum, step) => sum + measureStep(step, MAX_RUN_BYTES).bytes, 0);
  if (bytes > MAX_RUN_BYTES) throw new AppError(OUTPUT_TOO_LARGE, TOO_LARGE_ERROR.message);
  return keep === undefined ? { steps } : { resumedFromId: keep.executionId, steps };
}

type KeepOption = NonNullable<RunRequest['keep']>;

async function getKeptSteps(
  deps: RunDeps,
  { workflowId, plan, overrides }: ReuseRequest,
  { executionId, again = [] }: KeepOption,
): Promise<readonly Step[]> {
  const row = await getEndedExecution(deps, workflowId, executionId);
  const rerunIds = again.flatMap(createIdResolver(plan.nodes));
  const unknownId = rerunIds.find(id => !plan.nodes.some(node => node.id === id));
  if (unknownId !== undefined)
    throw new AppError(
      'invalid_request',
      `${JSON.stringify(unknownId)} is not a node of the run, so it cannot run again.`,
    );
  const version = await readRunVersion(deps, row);
  const earlierRun = {
    plan: await readPlan(deps, row),
    overrides: readInputOverrides(deps, version.graph, parseRunRequest(row.request).inputs),
    steps: removeReplaceableSamples(await readWholeSteps(deps.db, row.id), plan),
  };
  return reuseSteps(earlierRun, { plan, overrides }, rerunIds);
}

/** Leaves out the sample results of nodes that can run by now. */
function removeReplaceableSamples(
  steps: ReadonlyMap<string, Step>,
  { nodes }: Plan,
): ReadonlyMap<string, Step> {
  const availableIds = new Set(
    nodes.filter(({ unavailableReason }) => unavailableReason === undefined).map(({ id }) => id),
  );
  return new Map([...steps].filter(([id, { fromSample }]) => fromSample !== true || !availableIds.has(id)));
}

/**
 * Returns sample results for nodes whose provider cannot be used. A node whose own config has changed since the sample was
 * recorded takes no sample result. The label, position and inputs of the node do not matter. Throws 400 `no_sample`.
 */
async function getSampleSteps(
  deps: RunDeps,
  { workflowId, plan, overrides }: ReuseRequest,
  reusedSteps: ReadonlyMap<string, Step>,
): Promise<readonly Step[]> {
  const run = await findSampleRun(deps.db, workflowId);
  if (run === undefined)
    throw new AppError(
      'no_sample',
      'This workflow has no sample results: only copies of a template with a sample do. Leave out useSample.',
    );
  const unavailableNodes = plan.nodes.filter(
    node => node.unavailableReason !== undefined && !reusedSteps.has(node.id),
  );
  if (unavailableNodes.length === 0) return [];
  const sampleVersion = toVersionKey(workflowId, run.workflow_version);
  const sampleNodes = new Map((await readPlan(deps, sampleVersion)).nodes.map(node => [node.id, node]));
  const steps = await readWholeSteps(deps.db, run.id);
  const sampleSteps: Step[] = [];
  for (const { id, nodeType, config } of unavailableNodes) {
    const [step, sampleNode] = [steps.get(id), sampleNodes.get(id)];
    if (step?.status !== 'COMPLETED' || sampleNode === undefined) continue;
    const sampleHash = await hashCanonicalJson([sampleNode.nodeType, sampleNode.config]);
    const hash = await hashCanonicalJson([nodeType, { ...config, ...overrides.get(id) }]);
    if (hash === sampleHash) sampleSteps.push({ ...toCachedStep(step), fromSample: true });
  }
  return sampleSteps;
}

async function getPinnedSteps(
  deps: RunDeps,
  workflowId: string,
  pins: Readonly<Record<string, string>>,
): Promise<readonly Step[]> {
  const groups = Map.groupBy(Object.entries(pins), ([, executionId]) => executionId);
  if (groups.size > MAX_PINNED_EXECUTIONS)
    throw new AppError('invalid_request', `pins can refer to at most ${MAX_PINNED_EXECUTIONS} executions.`);
  const pinnedSteps: Step[] = [];
  const issues: Issue[] = [];
  for (const [executionId, nodes] of groups) {
    const row = await getEndedExecution(deps, workflowId, executionId);
    const steps = await readWholeSteps(deps.db, row.id);
    for (const [nodeId] of nodes) {
      const step = steps.get(nodeId);
      if (step?.status === 'COMPLETED') pinnedSteps.push(toCachedStep(step));
      else issues.push(toMissingIssue(nodeId, executionId));
    }
  }
  if (issues[0] === undefined) return pinnedSteps;
  throw new AppError('invalid_request', issues[0].message, { issues });
}

const toMissingIssue = (nodeId: string, executionId: string): Issue => ({
  path: toJsonPointer('pins', nodeId),
  nodeId,
  code: 'invalid_request',
  message: `The execution ${executionId} has no result of this node to pin.`,
});

async function getEndedExecution(deps: RunDeps, workflowId: string, id: string): Promise<ExecutionRow> {
  const row = await findExecution(deps.db, id);
  if (row === undefined || row.workflow_id !== workflowId)
    throw new AppError('invalid_request', `This workflow has no execution ${id}.`);
  if (row.finished_at === null)
    throw new AppError('invalid_request', `The execution ${id} has not ended. Wait until it has.`);
  return row;
}
