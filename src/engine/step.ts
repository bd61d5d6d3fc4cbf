// One node from its inputs to the step that a run records of it: called once, or once for each item of a list.
import type { PlanNode } from '../graph/plan.ts';
import { NodeError, Suspend } from '../nodes/define.ts';
import { TOO_LARGE } from './budget.ts';
import { type CallResult, ChargedFailure } from './call.ts';
import { spreadItems } from './fan-out.ts';
import type { Arrivals } from './inputs.ts';
import { runItems } from './items.ts';
import {
  type Begun,
  call,
  explain,
  isTimed,
  type Job,
  jobsOf,
  owedOf,
  providerOf,
  type StepHost,
} from './node-job.ts';
import type { Step } from './types.ts';

/** The code of a step that waited for a decision until its time was over. */
export const DECISION_TIMEOUT = 'decision_timeout';

/** Runs the node and returns the step it ends with: at once where the node answers at once. Never throws. */
export function runNode(
  host: StepHost,
  {
    index,
    node,
    arrivals,
    earlier,
  }: Pick<Job, 'index' | 'node' | 'earlier'> & { readonly arrivals: Arrivals },
): Step | Promise<Step> {
  const begun = begin(host, node, earlier);
  try {
    const definition = host.options.define(node.nodeType);
    if (definition === undefined) {
      throw new NodeError('unknown_node_type', `This service has no node type ${node.nodeType}.`);
    }
    const override = host.options.overrides.get(node.id);
    const settings = override === undefined ? node.settings : { ...node.settings, ...override };
    const known = { jobs: { ...earlier?.jobs }, ...providerOf(earlier ?? {}) };
    const job: Job = { index, node, definition, settings, earlier, begun, ...known, owed: 0 };
    const items = spreadItems(node, settings, arrivals);
    if (items !== undefined) return runItems(host, job, items);
    // A worker that takes a woken node over still knows that it was woken.
    const suspended = isTimed(earlier) ? { suspended: earlier.suspended } : {};
    const report = (): void =>
      host.report(index, { ...begun, status: 'RUNNING', ...suspended, ...jobsOf(job) });
    const progress = (fraction: number): void => host.options.onProgress?.(node.id, fraction);
    const result = call(host, job, arrivals, { item: 0, progress, report });
    if (!(result instanceof Promise)) return end(host, job, result);
    report();
    return result.then(
      late => end(host, job, late),
      err => fail(host, { ...begun, ...providerOf(job), ...chargeOf(job, err), ...owedOf(job) }, err),
    );
  } catch (err) {
    return fail(host, begun, err);
  }
}

function begin({ options }: StepHost, node: PlanNode, earlier: Step | undefined): Begun {
  const nowMs = options.now();
  // A node that wakes goes on with the start it had.
  if (earlier?.status === 'WAITING') {
    return { nodeId: node.id, attempt: earlier.attempt, startedAtMs: earlier.startedAtMs ?? nowMs };
  }
  return { nodeId: node.id, attempt: (earlier?.attempt ?? 0) + 1, startedAtMs: nowMs };
}

function end({ options }: StepHost, job: Job, result: CallResult): Step {
  const { budget } = options;
  const { earlier } = job;
  const begun = { ...job.begun, ...providerOf(job) };
  const nowMs = options.now();
  if (!(result instanceof Suspend)) {
    const credits = (earlier?.credits ?? 0) + result.credits;
    const cost = credits > 0 ? { credits, nodeType: job.node.nodeType } : {};
    if (budget?.take(begun.nodeId, result.outputs) === false) {
      const isCause = budget.exceededBy === begun.nodeId;
      const ended = { ...begun, ...cost, finishedAtMs: nowMs };
      return isCause ? { ...ended, status: 'FAILED', error: TOO_LARGE } : { ...ended, status: 'CANCELLED' };
    }
    const step = { ...begun, status: 'COMPLETED', outputs: result.outputs, finishedAtMs: nowMs } as const;
    if (credits > 0) return { ...step, ...cost };
    return result.isCached ? { ...step, cached: true } : step;
  }
  const { kind, untilMs } = result;
  if (kind === 'decision' && untilMs <= nowMs) {
    const error = { code: DECISION_TIMEOUT, message: 'Nobody decided in time.' };
    return { ...begun, status: 'FAILED', error, finishedAtMs: nowMs };
  }
  const sinceMs = earlier?.suspended?.sinceMs ?? nowMs;
  return { ...begun, ...jobsOf(job), status: 'WAITING', suspended: { kind, sinceMs, untilMs } };
}

/** What a node has cost by a call that delivered and failed all the same. */
function chargeOf({ earlier, node }: Job, thrown: unknown): Pick<Step, 'credits' | 'nodeType'> {
  if (!(thrown instanceof ChargedFailure) || thrown.credits === 0) return {};
  return { credits: (earlier?.credits ?? 0) + thrown.credits, nodeType: node.nodeType };
}

/** A node that stops because the run does is CANCELLED, whatever it threw. */
function fail(
  { options }: StepHost,
  begun: Begun & Pick<Step, 'credits' | 'nodeType'>,
  thrown: unknown,
): Step {
  const finishedAtMs = options.now();
  if (options.signal.aborted) return { ...begun, status: 'CANCELLED', finishedAtMs };
  return { ...begun, status: 'FAILED', error: explain(options, begun.nodeId, thrown), finishedAtMs };
}
