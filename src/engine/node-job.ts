// One call of a node, and what it keeps of itself in the node's step: what is shared by nodes that are called once and
// nodes that are mapped over a list.
import type { PlanNode } from '../graph/plan.ts';
import type { JsonObject } from '../graph/types.ts';
import type { NodeContext, NodeDefinition } from '../nodes/define.ts';
import { type CallResult, callNode } from './call.ts';
import { toStepError } from './failure.ts';
import { type Arrivals, resolveValues } from './inputs.ts';
import type { Payment, ProviderJob, RunOptions, Step, StepError } from './types.ts';

/** What the run that a node belongs to does for it. */
export interface StepHost {
  readonly options: RunOptions;
  /** Reports that the node goes on. */
  report(index: number, step: Step): void;
  /** Has the work done when there is room for it. The work must not reject. */
  submit(work: () => Promise<void>): Promise<void>;
}

export interface Job {
  readonly index: number;
  readonly node: PlanNode;
  readonly definition: NodeDefinition;
  readonly settings: JsonObject;
  readonly earlier: Step | undefined;
  readonly begun: Begun;
  /** What the step reports of calls at providers: those under way, and the last one. */
  readonly jobs: Record<number, ProviderJob>;
  provider?: Step['provider'] | undefined;
  warnings?: Step['warnings'] | undefined;
  /** What calls cost that the end of the run has cut off. */
  owed: number;
}

/** One call of a mapped node, or the only one. */
export interface Turn {
  readonly item: number;
  readonly progress: (fraction: number) => void;
  /** Reports the node as it stands, its calls at providers included. */
  readonly report: () => void;
  /** What is reserved for the call. */
  payment?: Payment;
  /** The call costs even if the run ends. */
  isOwed?: true;
}

export type Begun = Pick<Step, 'nodeId' | 'attempt'> & { readonly startedAtMs: number };

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
    job: recordOf(options, job, turn, used => {
      usage = used;
    }),
    ...(isTimed(earlier) ? { suspended: wakeReason(options, earlier) } : {}),
  };
  const paying = {
    usage: () => usage,
    onPromise: (payment: Payment): void => {
      turn.payment = payment;
    },
    onOwed: (credits: number): void => {
      job.owed += credits;
    },
    isOwed: () => turn.isOwed === true,
  };
  const make = () => callNode({ definition, node, values, wired: arrivals, ctx, ...paying }, options);
  return options.around === undefined ? make() : options.around(node, make);
}

// Of the items of a list, the last ones.
const MAX_WARNINGS = 10;

/** What the call keeps of itself: reported as part of the node's step, and durable before the call goes on. */
function recordOf(
  options: RunOptions,
  job: Job,
  turn: Turn,
  use: NodeContext['job']['use'],
): NodeContext['job'] {
  const { item, report } = turn;
  const stored = job.jobs[item];
  const { calls, room } = options;
  const note = (record: ProviderJob): void => {
    const { credits, terms } = turn.payment ?? {};
    job.jobs[item] = {
      ...record,
      ...(credits === undefined ? {} : { credits }),
      ...(terms === undefined ? {} : { terms }),
    };
  };
  return {
    ...(stored === undefined ? {} : { stored }),
    ...(calls === undefined ? {} : { hasEnded: calls.take(job.node.id, item) }),
    ...(room === undefined
      ? {}
      : {
          room: {
            ...room,
            take: record => {
              // Part of the node's state from now on: what is not in it is no call of the run.
              note(record);
              return room.take(job.node.id, item, record.provider);
            },
          },
        }),
    use,
    owe: () => {
      turn.isOwed = true;
    },
    warn: sentence => {
      job.warnings = [...(job.warnings ?? []), sentence].slice(-MAX_WARNINGS);
    },
    keep: async record => {
      note(record);
      job.provider = { name: record.provider, jobId: record.id };
      // A worker that was frozen meanwhile may have lost the run: storing it once more shows it.
      for (let tookMs = Number.POSITIVE_INFINITY; tookMs > FRESH_MS; ) {
        const begunMs = options.now();
        report();
        await options.saved?.();
        tookMs = options.now() - begunMs;
      }
    },
  };
}

export function jobsOf(job: Job): Pick<Step, 'jobs' | 'provider' | 'warnings'> {
  return Object.keys(job.jobs).length === 0 ? providerOf(job) : { jobs: { ...job.jobs }, ...providerOf(job) };
}

/** What the node has cost with the calls that the end of the run has cut off. */
export function owedOf({ owed, earlier, node }: Job): Pick<Step, 'credits' | 'nodeType'> {
  return owed === 0 ? {} : { credits: (earlier?.credits ?? 0) + owed, nodeType: node.nodeType };
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

type Timed = Step & { readonly suspended: NonNullable<Step['suspended']> };

/** Whether the node itself asked to wait, rather than for a call that it made. */
export function isTimed(step: Step | undefined): step is Timed {
  return step?.suspended !== undefined && step.suspended.kind !== 'call';
}

/** What was stored longer ago is no sign that the run is still this worker's. */
const FRESH_MS = 10_000;

export function explain(options: RunOptions, nodeId: string, thrown: unknown): StepError {
  const { code, message } = toStepError(thrown, err => options.onError?.(nodeId, err));
  return { code, message: options.secrets?.scrub(message) ?? message };
}
