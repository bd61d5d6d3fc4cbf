// Runs one node from its inputs to the step that the run records: called once, or once per list item.
import type { PlanNode } from '../graph/plan.ts';
import { NodeError, Suspend } from '../nodes/define.ts';
import { TOO_LARGE } from './budget.ts';
import { type CallResult, ChargedFailure } from './call.ts';
import { spreadItems } from './fan-out.ts';
import type { Arrivals } from './inputs.ts';
import { runItems } from './items.ts';
import {
  call,
  callFields,
  isSelfSuspended,
  type NodeExecution,
  type NodeStart,
  owedFields,
  providerFields,
  type StepHost,
  toReportedError,
} from './node-execution.ts';
import type { Step } from './types.ts';

/** The error code of a step whose decision did not arrive in time. */
export const DECISION_TIMEOUT = 'decision_timeout';

/** Runs the node and returns its final step, synchronously if the node answers synchronously. Never throws. */
export function runNode(
  host: StepHost,
  {
    index,
    node,
    arrivals,
    earlier,
  }: Pick<NodeExecution, 'index' | 'node' | 'earlier'> & { readonly arrivals: Arrivals },
): Step | Promise<Step> {
  const start = begin(host, node, earlier);
  try {
    const definition = host.options.define(node.nodeType);
    if (definition === undefined) {
      throw new NodeError('unknown_node_type', `This service has no node type ${node.nodeType}.`);
    }
    const override = host.options.overrides.get(node.id);
    const settings = override === undefined ? node.settings : { ...node.settings, ...override };
    const earlierFields = { jobs: { ...earlier?.jobs }, ...providerFields(earlier ?? {}) };
    const execution: NodeExecution = {
      index,
      node,
      definition,
      settings,
      earlier,
      start,
      ...earlierFields,
      owed: 0,
    };
    const items = spreadItems(node, settings, arrivals);
    if (items !== undefined) return runItems(host, execution, items);
    // A worker that takes over a woken node must still know that it was woken.
    const suspended = isSelfSuspended(earlier) ? { suspended: earlier.suspended } : {};
    const report = (): void =>
      host.report(index, { ...start, status: 'RUNNING', ...suspended, ...callFields(execution) });
    const progress = (fraction: number): void => host.options.onProgress?.(node.id, fraction);
    const result = call(host, execution, arrivals, { item: 0, progress, report });
    if (!(result instanceof Promise)) return end(host, execution, result);
    report();
    return result.then(
      late => end(host, execution, late),
      err =>
        fail(
          host,
          { ...start, ...providerFields(execution), ...chargeOf(execution, err), ...owedFields(execution) },
          err,
        ),
    );
  } catch (err) {
    return fail(host, start, err);
  }
}

function begin({ options }: StepHost, node: PlanNode, earlier: Step | undefined): NodeStart {
  const nowMs = options.now();
  // A node that wakes keeps its start time and attempt.
  if (earlier?.status === 'WAITING') {
    return { nodeId: node.id, attempt: earlier.attempt, startedAtMs: earlier.startedAtMs ?? nowMs };
  }
  return { nodeId: node.id, attempt: (earlier?.attempt ?? 0) + 1, startedAtMs: nowMs };
}

function end({ options }: StepHost, execution: NodeExecution, result: CallResult): Step {
  const { budget } = options;
  const { earlier } = execution;
  const start = { ...execution.start, ...providerFields(execution) };
  const nowMs = options.now();
  if (!(result instanceof Suspend)) {
    const credits = (earlier?.credits ?? 0) + result.credits;
    const cost = credits > 0 ? { credits, nodeType: execution.node.nodeType } : {};
    if (budget?.record(start.nodeId, result.outputs) === false) {
      const isCause = budget.exceededBy === start.nodeId;
      const ended = { ...start, ...cost, finishedAtMs: nowMs };
      return isCause ? { ...ended, status: 'FAILED', error: TOO_LARGE } : { ...ended, status: 'CANCELLED' };
    }
    const step = { ...start, status: 'COMPLETED', outputs: result.outputs, finishedAtMs: nowMs } as const;
    if (credits > 0) return { ...step, ...cost };
    return result.isCached ? { ...step, cached: true } : step;
  }
  const { kind, untilMs } = result;
  if (kind === 'decision' && untilMs <= nowMs) {
    const error = { code: DECISION_TIMEOUT, message: 'Nobody decided in time.' };
    return { ...start, status: 'FAILED', error, finishedAtMs: nowMs };
  }
  const sinceMs = earlier?.suspended?.sinceMs ?? nowMs;
  return { ...start, ...callFields(execution), status: 'WAITING', suspended: { kind, sinceMs, untilMs } };
}

/** Returns the cost of a call that delivered and failed anyway. */
function chargeOf({ earlier, node }: NodeExecution, thrown: unknown): Pick<Step, 'credits' | 'nodeType'> {
  if (!(thrown instanceof ChargedFailure) || thrown.credits === 0) return {};
  return { credits: (earlier?.credits ?? 0) + thrown.credits, nodeType: node.nodeType };
}

/** Returns the failed step. A node that stops because its run does is CANCELLED, whatever it threw. */
function fail(
  { options }: StepHost,
  start: NodeStart & Pick<Step, 'credits' | 'nodeType'>,
  thrown: unknown,
): Step {
  const finishedAtMs = options.now();
  if (options.signal.aborted) return { ...start, status: 'CANCELLED', finishedAtMs };
  return { ...start, status: 'FAILED', error: toReportedError(options, start.nodeId, thrown), finishedAtMs };
}
