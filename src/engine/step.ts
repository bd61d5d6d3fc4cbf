// Runs one node: resolves its inputs, calls it once or once per list item, and returns its final step.
import type { PlanNode } from '../graph/plan.ts';
import { newId } from '../lib/ids.ts';
import { type ApprovalRequest, NodeError, Suspend } from '../nodes/define.ts';
import { type CallResult, ChargedNodeError } from './call.ts';
import { splitIntoItems } from './fan-out.ts';
import type { PortValues } from './inputs.ts';
import { runItems } from './items.ts';
import {
  callWithRecord,
  findDecision,
  isSelfSuspended,
  type NodeExecution,
  type NodeStart,
  type StepHost,
  toCallFields,
  toCostFields,
  toReportedError,
  toReportFields,
} from './node-execution.ts';
import { TOO_LARGE_ERROR } from './output-size.ts';
import type { Decision, RunOptions, Step } from './types.ts';

/** The error code of a step whose decision did not arrive in time. */
export const DECISION_TIMEOUT = 'decision_timeout';

/** Runs the node and returns its final step, synchronously if the node returns synchronously. Never throws. */
export function runNode(
  host: StepHost,
  {
    index,
    node,
    portValues,
    previousStep,
  }: Pick<NodeExecution, 'index' | 'node' | 'previousStep'> & { readonly portValues: PortValues },
): Step | Promise<Step> {
  const start = toNodeStart(host, node, previousStep);
  try {
    const definition = host.options.findDefinition(node.nodeType);
    if (definition === undefined) {
      throw new NodeError('unknown_node_type', `This service has no node type ${node.nodeType}.`);
    }
    const override = host.options.overrides.get(node.id);
    const settings = override === undefined ? node.config : { ...node.config, ...override };
    const previousFields = { jobs: { ...previousStep?.jobs }, ...toReportFields(previousStep ?? {}) };
    const execution: NodeExecution = {
      index,
      node,
      definition,
      settings,
      previousStep,
      start,
      ...previousFields,
      log: undefined,
      owedCredits: 0,
    };
    const items = splitIntoItems(node, settings, portValues);
    if (items !== undefined) return runItems(host, execution, items);
    // `suspended` is reported while the node runs, so that a worker that takes over knows that the node was woken.
    const suspended = isSelfSuspended(previousStep) ? { suspended: previousStep.suspended } : {};
    const report = (): void =>
      host.report(index, { ...start, status: 'RUNNING', ...suspended, ...toCallFields(execution) });
    const progress = (fraction: number): void => host.options.onProgress?.(node.id, fraction);
    const result = callWithRecord(host, execution, portValues, { item: 0, progress, report });
    if (!(result instanceof Promise)) return toStep(host, execution, result);
    report();
    return result.then(
      awaited => toStep(host, execution, awaited),
      err => {
        const credits = err instanceof ChargedNodeError ? err.credits : execution.owedCredits;
        const fields = { ...start, ...toReportFields(execution), ...toCostFields(execution, credits) };
        return toFailedStep(host, fields, err);
      },
    );
  } catch (err) {
    return toFailedStep(host, start, err);
  }
}

function toNodeStart({ options }: StepHost, node: PlanNode, previousStep: Step | undefined): NodeStart {
  const nowMs = options.now();
  // A waiting node keeps its start time and attempt.
  if (previousStep?.status === 'WAITING') {
    const { attempt, startedAtMs = nowMs } = previousStep;
    return { nodeId: node.id, attempt, startedAtMs, ...toApproval(options, previousStep) };
  }
  return { nodeId: node.id, attempt: (previousStep?.attempt ?? 0) + 1, startedAtMs: nowMs };
}

/** Returns the request for a decision of a node that waited for one, with the decision if there is one. */
function toApproval(options: RunOptions, previousStep: Step): Pick<Step, 'approval'> {
  const decision = findDecision(options, previousStep) as Decision | undefined;
  const { approval } = previousStep;
  if (decision === undefined) return approval === undefined ? {} : { approval };
  return { approval: { ...(approval ?? EARLIER_REQUEST), decision } };
}

/** Returns the request of a node that waits, with the id that it keeps while it waits. */
function toRequested(
  request: ApprovalRequest | undefined,
  previousStep: Step | undefined,
): Pick<Step, 'approval'> {
  if (request === undefined) return {};
  return { approval: { ...request, id: previousStep?.approval?.id ?? newId('approval') } };
}

/** The request of a node that began to wait in an earlier version. */
const EARLIER_REQUEST: ApprovalRequest = {
  message: '',
  assignees: [],
  reminderHours: 0,
  isEditable: false,
  timeoutDecision: null,
};

function toStep({ options }: StepHost, execution: NodeExecution, result: CallResult): Step {
  const { budget } = options;
  const { previousStep } = execution;
  const start = { ...execution.start, ...toReportFields(execution) };
  const nowMs = options.now();
  if (!(result instanceof Suspend)) {
    const credits = (previousStep?.credits ?? 0) + result.credits;
    const cost = credits > 0 ? { credits, nodeType: execution.node.nodeType } : {};
    if (budget?.record(start.nodeId, result.outputs) === false) {
      const isCause = budget.exceededBy === start.nodeId;
      const fields = { ...start, ...cost, finishedAtMs: nowMs };
      return isCause
        ? { ...fields, status: 'FAILED', error: TOO_LARGE_ERROR }
        : { ...fields, status: 'CANCELLED' };
    }
    const step = { ...start, status: 'COMPLETED', outputs: result.outputs, finishedAtMs: nowMs } as const;
    if (credits > 0) return { ...step, ...cost };
    return result.isCached ? { ...step, cached: true } : step;
  }
  const { kind, untilMs, approval } = result;
  if (kind === 'decision' && untilMs <= nowMs) {
    const error = { code: DECISION_TIMEOUT, message: 'No decision was made in time.' };
    return { ...start, status: 'FAILED', error, finishedAtMs: nowMs };
  }
  const sinceMs = previousStep?.suspended?.sinceMs ?? nowMs;
  const suspended = { kind, sinceMs, untilMs };
  return {
    ...start,
    ...toCallFields(execution),
    status: 'WAITING',
    suspended,
    ...toRequested(approval, previousStep),
  };
}

/** Returns the failed step. If the run was stopped, the node is CANCELLED, whatever it threw. */
function toFailedStep(
  { options }: StepHost,
  start: NodeStart & Pick<Step, 'credits' | 'nodeType'>,
  thrown: unknown,
): Step {
  const finishedAtMs = options.now();
  if (options.signal.aborted) return { ...start, status: 'CANCELLED', finishedAtMs };
  return { ...start, status: 'FAILED', error: toReportedError(options, start.nodeId, thrown), finishedAtMs };
}
