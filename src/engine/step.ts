// One node from its inputs to the step that a run records of it: called once, or once for each item of a list.
import type { PlanNode } from '../graph/plan.ts';
import type { JsonObject } from '../graph/types.ts';
import { type NodeContext, type NodeDefinition, NodeError, Suspend } from '../nodes/define.ts';
import { type CallResult, callNode } from './call.ts';
import { toStepError } from './failure.ts';
import { spreadItems } from './fan-out.ts';
import { type Arrivals, resolveValues } from './inputs.ts';
import { runItems } from './items.ts';
import type { ProviderJob, RunOptions, Step, StepError } from './types.ts';

/** What the run that a node belongs to does for it. */
export interface StepHost {
  readonly options: RunOptions;
  /** Tells that the node goes on. */
  report(index: number, step: Step): void;
  /** Has the work done when there is room for it. The work must not reject. */
  submit(work: () => Promise<void>): Promise<void>;
}

/** What was stored longer ago is no sign that the run is still this worker's. */
const FRESH_MS = 10_000;

/** The code of a step that waited for a decision until its time was over. */
export const DECISION_TIMEOUT = 'decision_timeout';

export interface Job {
  readonly index: number;
  readonly node: PlanNode;
  readonly definition: NodeDefinition;
  readonly settings: JsonObject;
  readonly earlier: Step | undefined;
  readonly begun: Begun;
  /** What the step tells of calls at providers: those under way, and the last one. */
  readonly jobs: Record<number, ProviderJob>;
  provider?: Step['provider'] | undefined;
  warnings?: Step['warnings'] | undefined;
}

/** One call of a mapped node, or the only one. */
export interface Turn {
  readonly item: number;
  readonly progress: (fraction: number) => void;
  /** Reports the node as it stands, its calls at providers included. */
  readonly tell: () => void;
  /** What was set aside for the call. */
  promised?: number;
}

export type Begun = Pick<Step, 'nodeId' | 'attempt'> & { readonly startedAtMs: number };

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
    const job: Job = { index, node, definition, settings, earlier, begun, ...known };
    const items = spreadItems(node, settings, arrivals);
    if (items !== undefined) return runItems(host, job, items);
    // A worker that takes a woken node over still knows that it was woken.
    const suspended = isTimed(earlier) ? { suspended: earlier.suspended } : {};
    const tell = (): void =>
      host.report(index, { ...begun, status: 'RUNNING', ...suspended, ...jobsOf(job) });
    const progress = (fraction: number): void => host.options.onProgress?.(node.id, fraction);
    const result = call(host, job, arrivals, { item: 0, progress, tell });
    if (!(result instanceof Promise)) return end(host, job, result);
    tell();
    return result.then(
      late => end(host, job, late),
      err => fail(host, { ...begun, ...providerOf(job) }, err),
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

export function call(
  { options }: StepHost,
  job: Job,
  arrivals: Arrivals,
  turn: Turn,
): CallResult | Promise<CallResult> {
  const { node, definition, settings, earlier, begun } = job;
  const values = resolveValues(node, settings, arrivals);
  let usage: unknown;
  const ctx: NodeContext = {
    ...options.context(node.id, begun.attempt, options.signal),
    nodeId: node.id,
    signal: options.signal,
    progress: turn.progress,
    job: recordOf(options, job, turn, told => {
      usage = told;
    }),
    ...(isTimed(earlier) ? { suspended: wakeReason(options, earlier) } : {}),
  };
  const onPromise = (credits: number): void => {
    turn.promised = credits;
  };
  return callNode({ definition, node, values, wired: arrivals, ctx, usage: () => usage, onPromise }, options);
}

// Of the items of a list, the last ones.
const MAX_WARNINGS = 10;

/** What the call keeps of itself: told as part of the node's step, and durable before the call goes on. */
function recordOf(
  options: RunOptions,
  job: Job,
  turn: Turn,
  use: NodeContext['job']['use'],
): NodeContext['job'] {
  const { item, tell } = turn;
  const stored = job.jobs[item];
  const { calls } = options;
  return {
    ...(stored === undefined ? {} : { stored }),
    ...(calls === undefined ? {} : { waiting: { hasEnded: calls.take(job.node.id, item) } }),
    use,
    warn: sentence => {
      job.warnings = [...(job.warnings ?? []), sentence].slice(-MAX_WARNINGS);
    },
    keep: async record => {
      job.jobs[item] = turn.promised === undefined ? record : { ...record, credits: turn.promised };
      job.provider = { name: record.provider, jobId: record.id };
      // A worker that was frozen meanwhile may have lost the run: storing it once more tells.
      for (let tookMs = Number.POSITIVE_INFINITY; tookMs > FRESH_MS; ) {
        const begunMs = options.now();
        tell();
        await options.saved?.();
        tookMs = options.now() - begunMs;
      }
    },
  };
}

export function jobsOf(job: Job): Pick<Step, 'jobs' | 'provider' | 'warnings'> {
  return Object.keys(job.jobs).length === 0 ? providerOf(job) : { jobs: { ...job.jobs }, ...providerOf(job) };
}

export function providerOf({
  provider,
  warnings,
}: Pick<Job, 'provider' | 'warnings'>): Pick<Step, 'provider' | 'warnings'> {
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(warnings === undefined ? {} : { warnings }),
  };
}

function wakeReason(options: RunOptions, { nodeId, suspended }: Step): NonNullable<NodeContext['suspended']> {
  const { kind, sinceMs, untilMs } = suspended as NonNullable<Step['suspended']>;
  const decision = kind === 'decision' ? options.decisions?.get(nodeId) : undefined;
  return { sinceMs, untilMs, ...(decision === undefined ? {} : { decision }) };
}

function end({ options }: StepHost, job: Job, result: CallResult): Step {
  const { earlier } = job;
  const begun = { ...job.begun, ...providerOf(job) };
  const nowMs = options.now();
  if (!(result instanceof Suspend)) {
    const step = { ...begun, status: 'COMPLETED', outputs: result.outputs, finishedAtMs: nowMs } as const;
    const credits = (earlier?.credits ?? 0) + result.credits;
    if (credits > 0) return { ...step, credits };
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

type Timed = Step & { readonly suspended: NonNullable<Step['suspended']> };

/** Whether the node itself asked to wait, rather than for a call that it made. */
function isTimed(step: Step | undefined): step is Timed {
  return step?.suspended !== undefined && step.suspended.kind !== 'call';
}

/** A node that stops because the run does is CANCELLED, whatever it threw. */
function fail({ options }: StepHost, begun: Begun, thrown: unknown): Step {
  const finishedAtMs = options.now();
  if (options.signal.aborted) return { ...begun, status: 'CANCELLED', finishedAtMs };
  return { ...begun, status: 'FAILED', error: explain(options, begun.nodeId, thrown), finishedAtMs };
}

export function explain(options: RunOptions, nodeId: string, thrown: unknown): StepError {
  return toStepError(thrown, err => options.onError?.(nodeId, err));
}
