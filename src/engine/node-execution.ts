// Makes one call of a node and records its provider task in the node's step. Shared by nodes that are called once and
// nodes that are mapped over a list.
import type { PlanNode } from '../graph/plan.ts';
import type { JsonObject } from '../graph/types.ts';
import type { NodeContext, NodeDefinition } from '../nodes/define.ts';
import { type CallResult, callNode } from './call.ts';
import { toStepError } from './failure.ts';
import { type Arrivals, resolveValues } from './inputs.ts';
import type { Payment, ProviderTask, RunOptions, Step, StepError } from './types.ts';

/** The run's services that a node execution uses. */
export interface StepHost {
  readonly options: RunOptions;
  /** Reports a new state of the node. */
  report(index: number, step: Step): void;
  /** Runs the work when a call slot is free. The work must not reject. */
  submit(work: () => Promise<void>): Promise<void>;
}

export interface NodeExecution {
  readonly index: number;
  readonly node: PlanNode;
  readonly definition: NodeDefinition;
  readonly settings: JsonObject;
  readonly earlier: Step | undefined;
  readonly start: NodeStart;
  /** The provider tasks that the step reports, by item: those under way, and the last one. */
  readonly jobs: Record<number, ProviderTask>;
  provider?: Step['provider'] | undefined;
  warnings?: Step['warnings'] | undefined;
  /** The cost of calls that the end of the run cut off. */
  owed: number;
}

/** One call of a mapped node, or the only call of a node. */
export interface NodeCall {
  readonly item: number;
  readonly progress: (fraction: number) => void;
  /** Reports the current state of the node, with its provider tasks. */
  readonly report: () => void;
  /** The credits reserved for the call. */
  payment?: Payment;
  /** Set if the call costs credits even if the run ends. */
  isOwed?: true;
}

export type NodeStart = Pick<Step, 'nodeId' | 'attempt'> & { readonly startedAtMs: number };

export function call(
  { options }: StepHost,
  execution: NodeExecution,
  arrivals: Arrivals,
  nodeCall: NodeCall,
): CallResult | Promise<CallResult> {
  const { node, definition, settings, earlier, start } = execution;
  const values = resolveValues(node, settings, arrivals);
  let usage: unknown;
  const ctx: NodeContext = {
    ...options.context(node.id, start.attempt, options.signal),
    nodeId: node.id,
    signal: options.signal,
    progress: nodeCall.progress,
    task: createCallRecord(options, execution, nodeCall, used => {
      usage = used;
    }),
    ...(isSelfSuspended(earlier) ? { suspended: wakeReason(options, earlier) } : {}),
  };
  const paying = {
    usage: () => usage,
    onReserved: (payment: Payment): void => {
      nodeCall.payment = payment;
    },
    onOwed: (credits: number): void => {
      execution.owed += credits;
    },
    isOwed: () => nodeCall.isOwed === true,
  };
  const make = () => callNode({ definition, node, values, wired: arrivals, ctx, ...paying }, options);
  return options.around === undefined ? make() : options.around(node, make);
}

// Only the warnings of the last items of a list are kept.
const MAX_WARNINGS = 10;

/**
 * Creates the record of a provider task. The record is reported in the node's step and stored before the call
 * continues.
 */
function createCallRecord(
  options: RunOptions,
  execution: NodeExecution,
  nodeCall: NodeCall,
  use: NodeContext['task']['use'],
): NodeContext['task'] {
  const { item, report } = nodeCall;
  const stored = execution.jobs[item];
  const { calls, slots } = options;
  const note = (record: ProviderTask): void => {
    const { credits, terms } = nodeCall.payment ?? {};
    execution.jobs[item] = {
      ...record,
      ...(credits === undefined ? {} : { credits }),
      ...(terms === undefined ? {} : { terms }),
    };
  };
  return {
    ...(stored === undefined ? {} : { stored }),
    ...(calls === undefined ? {} : { hasEnded: calls.takeEnded(execution.node.id, item) }),
    ...(slots === undefined
      ? {}
      : {
          slots: {
            ...slots,
            claim: record => {
              // Recorded before the slot is claimed: a call that is not in the node's state is not a call of the run.
              note(record);
              return slots.claim(execution.node.id, item, record.provider);
            },
          },
        }),
    use,
    markBillable: () => {
      nodeCall.isOwed = true;
    },
    warn: sentence => {
      execution.warnings = [...(execution.warnings ?? []), sentence].slice(-MAX_WARNINGS);
    },
    keep: async record => {
      note(record);
      execution.provider = { name: record.provider, jobId: record.id };
      // A worker that was suspended may have lost the run meanwhile. Saving again reveals that.
      for (let tookMs = Number.POSITIVE_INFINITY; tookMs > FRESH_MS; ) {
        const begunMs = options.now();
        report();
        await options.saved?.();
        tookMs = options.now() - begunMs;
      }
    },
  };
}

export function callFields(execution: NodeExecution): Pick<Step, 'jobs' | 'provider' | 'warnings'> {
  return Object.keys(execution.jobs).length === 0
    ? providerFields(execution)
    : { jobs: { ...execution.jobs }, ...providerFields(execution) };
}

/** Returns the node's cost, including calls that the end of the run cut off. */
export function owedFields({ owed, earlier, node }: NodeExecution): Pick<Step, 'credits' | 'nodeType'> {
  return owed === 0 ? {} : { credits: (earlier?.credits ?? 0) + owed, nodeType: node.nodeType };
}

export function providerFields({
  provider,
  warnings,
}: Pick<NodeExecution, 'provider' | 'warnings'>): Pick<Step, 'provider' | 'warnings'> {
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

type SelfSuspended = Step & { readonly suspended: NonNullable<Step['suspended']> };

/** Whether the node itself asked to wait, as opposed to waiting for a provider call. */
export function isSelfSuspended(step: Step | undefined): step is SelfSuspended {
  return step?.suspended !== undefined && step.suspended.kind !== 'call';
}

/** A save that took longer than this does not prove that the run still belongs to this worker. */
const FRESH_MS = 10_000;

export function toReportedError(options: RunOptions, nodeId: string, thrown: unknown): StepError {
  const { code, message } = toStepError(thrown, err => options.onError?.(nodeId, err));
  return { code, message: options.secrets?.scrub(message) ?? message };
}
