// Calls a node once and records the provider task of the call in the node's step. Used for single calls and for the
// items of a mapped node.
import type { PlanNode } from '../graph/plan.ts';
import type { Json, JsonObject } from '../graph/types.ts';
import { omitUndefined } from '../lib/record.ts';
import type { NodeContext, NodeDefinition } from '../nodes/define.ts';
import { type CallResult, callNode } from './call.ts';
import { type PortValues, resolveValues } from './inputs.ts';
import { toStepError } from './step-end.ts';
import type {
  Payment,
  ProviderTask,
  RunOptions,
  ServerQueue,
  ServerQueues,
  Step,
  StepError,
} from './types.ts';

/** The run's services that a node execution uses. */
export interface StepHost {
  readonly options: RunOptions;
  /** Reports a new step of the node. */
  report(index: number, step: Step): void;
  /** Runs the work when a call slot is free. The work returns undefined if it has ended, and must not reject. */
  submit(work: () => Promise<void> | undefined): Promise<void>;
}

export interface NodeExecution {
  readonly index: number;
  readonly node: PlanNode;
  readonly definition: NodeDefinition;
  readonly settings: JsonObject;
  readonly previousStep: Step | undefined;
  readonly start: NodeStart;
  /** The active provider tasks by item index. */
  readonly jobs: Record<number, ProviderTask>;
  provider?: Step['provider'] | undefined;
  warnings?: Step['warnings'] | undefined;
  log?: Step['log'] | undefined;
  seeds?: Step['seeds'] | undefined;
  attempts?: Step['attempts'] | undefined;
  payer?: Step['payer'] | undefined;
  /** The credits owed for calls that were active when the run ended. */
  owedCredits: number;
}

/** One call of a mapped node, or the only call of a node. */
export interface NodeCall {
  readonly item: number;
  /** Set for a call of a mapped node. */
  readonly isItem?: true;
  readonly progress: (fraction: number) => void;
  /** Reports a step with the current provider tasks of the node. */
  readonly report: () => void;
  /** The credits reserved for the call. */
  payment?: Payment;
  /** Set if the call must be charged even if the run ends while the call is active. */
  isOwed?: true;
}

export type NodeStart = Pick<Step, 'nodeId' | 'attempt' | 'approval'> & { readonly startedAtMs: number };

/** Calls the node, and records in its step what the call reports. */
export function callWithRecord(
  { options }: StepHost,
  execution: NodeExecution,
  portValues: PortValues,
  nodeCall: NodeCall,
): CallResult | Promise<CallResult> {
  const { node, definition, settings, previousStep, start } = execution;
  const values = resolveValues(node, settings, portValues);
  let usage: unknown;
  const ctx: NodeContext = {
    ...options.createContext(node.id, start.attempt, options.signal, values),
    nodeId: node.id,
    signal: options.signal,
    progress: nodeCall.progress,
    task: createCallRecord(options, execution, nodeCall, reported => {
      usage = reported;
    }),
    ...(isSelfSuspended(previousStep) ? { suspended: toWakeReason(options, previousStep) } : {}),
  };
  const paymentHooks = {
    getUsage: () => usage,
    onReserved: (payment: Payment): void => {
      nodeCall.payment = payment;
      execution.payer = addCost(execution.payer, payment, 0);
    },
    onSettled: (payment: Payment): void => {
      execution.payer = addCost(execution.payer, payment, payment.costUsd ?? null);
    },
    onOwed: (credits: number): void => {
      execution.owedCredits += credits;
    },
    isOwed: () => nodeCall.isOwed === true,
  };
  const call = {
    item: nodeCall.item,
    definition,
    node,
    values,
    connectedPorts: portValues,
    ctx,
    ...paymentHooks,
  };
  const makeCall = () => callNode(call, options);
  return options.wrapCall === undefined ? makeCall() : options.wrapCall(node, makeCall);
}

/** Returns the payer of a node's calls after another call. The total cost is unknown if the cost of any call is. */
function addCost(
  payer: Step['payer'],
  { paidBy, credentialId = null }: Payment,
  costUsd: number | null,
): Step['payer'] {
  if (paidBy === undefined) return payer;
  if (paidBy === 'credits') return { paidBy, credentialId, costUsd: null };
  const earlierUsd = payer === undefined ? 0 : payer.costUsd;
  return {
    paidBy,
    credentialId,
    costUsd: earlierUsd === null || costUsd === null ? null : earlierUsd + costUsd,
  };
}

/** A save that took longer does not prove that the run still belongs to this worker. */
const MAX_SAVE_MS = 10_000;
// A mapped node keeps only the warnings and the log of its last items.
const MAX_WARNINGS = 10;
const MAX_LOG_LENGTH = 65_536;
const MAX_SEEDS = 200;
const MAX_ATTEMPTS = 50;

/**
 * Creates the record of a provider task. The record is reported in the node's step and stored before the call
 * continues.
 */
function createCallRecord(
  options: RunOptions,
  execution: NodeExecution,
  nodeCall: NodeCall,
  onUsage: NodeContext['task']['use'],
): NodeContext['task'] {
  const { item, report } = nodeCall;
  const { callWakes, slots, queues } = options;
  const ownItem = nodeCall.isItem ? item : undefined;
  const record = (task: ProviderTask): void => {
    const { credits, terms } = nodeCall.payment ?? {};
    execution.jobs[item] = { ...task, ...omitUndefined({ credits, terms }) };
  };
  return {
    ...omitUndefined({
      stored: execution.jobs[item],
      isWoken: callWakes?.consumeWake(execution.node.id, item),
      slots: slots && {
        ...slots,
        claim: (task: ProviderTask) => {
          // The task is recorded first, because a call that is missing in the node's step does not belong to the run.
          record(task);
          return slots.claim(execution.node.id, item, task);
        },
      },
    }),
    use: onUsage,
    markBillable: () => {
      nodeCall.isOwed = true;
    },
    warn: sentence => {
      execution.warnings = [...(execution.warnings ?? []), sentence].slice(-MAX_WARNINGS);
    },
    log: text => {
      const scrubbed = options.secrets?.scrub(text) ?? text;
      execution.log = `${execution.log ?? ''}${scrubbed}`.slice(-MAX_LOG_LENGTH);
    },
    item,
    recordSeeds: seeds => {
      execution.seeds = replaceOfItem(execution.seeds, seeds, ownItem, MAX_SEEDS);
    },
    recordAttempts: attempts => {
      execution.attempts = replaceOfItem(execution.attempts, attempts, ownItem, MAX_ATTEMPTS);
    },
    ...omitUndefined({ queue: queues && createQueue(queues, execution, nodeCall, record) }),
    save: async task => {
      record(task);
      execution.provider = { name: task.provider, jobId: task.id };
      // If the process was paused, the run may have been reassigned. A slow save is repeated, which then fails.
      for (let saveMs = Number.POSITIVE_INFINITY; saveMs > MAX_SAVE_MS; ) {
        const startMs = options.now();
        report();
        await options.whenSaved?.();
        saveMs = options.now() - startMs;
      }
    },
  };
}

/** Returns the fields that the node's calls have reported, and the active provider tasks. */
export function toCallFields(execution: NodeExecution): ReportFields & Pick<Step, 'jobs'> {
  const fields = toReportFields(execution);
  return Object.keys(execution.jobs).length === 0 ? fields : { jobs: { ...execution.jobs }, ...fields };
}

/**
 * Replaces the entries of the item, or of a node that is not mapped, because a call that continues reports them again. Keeps the
 * last `max` entries.
 */
function replaceOfItem<T extends object>(
  entries: readonly (T & OfItem)[] = [],
  added: readonly T[],
  item: number | undefined,
  max: number,
): readonly (T & OfItem)[] {
  const others = entries.filter(entry => entry.item !== item);
  return [...others, ...added.map(entry => (item === undefined ? entry : { ...entry, item }))].slice(-max);
}

interface OfItem {
  readonly item?: number;
}

/** Creates the queue of a call. The record of a call that waits is part of its step, like that of a task. */
function createQueue(
  queues: ServerQueues,
  { node, jobs }: NodeExecution,
  { item }: NodeCall,
  record: (task: ProviderTask) => void,
): ServerQueue {
  return {
    pool: queues.pool,
    open: queues.open,
    place: async (needs, waiting) => {
      if (jobs[item] === undefined) record(waiting);
      const place = await queues.place(node.id, item, needs);
      if (place.kind === 'waiting') record(waiting);
      return place;
    },
    move: async (move, waiting) => {
      const hasMoved = await queues.move(node.id, item, move);
      if (hasMoved) record(waiting);
      return hasMoved;
    },
  };
}

type ReportFields = Pick<Step, 'provider' | 'warnings' | 'log' | 'seeds' | 'attempts' | 'payer'>;

/** Returns the fields that the node's calls have reported. */
export function toReportFields({
  provider,
  warnings,
  log,
  seeds,
  attempts,
  payer,
}: Pick<NodeExecution, keyof ReportFields>): ReportFields {
  return omitUndefined({ provider, warnings, log, seeds, attempts, payer });
}

/** Returns the total cost of a node after a call that cost `credits`. */
export function toCostFields(
  { previousStep, node }: NodeExecution,
  credits: number,
): Pick<Step, 'credits' | 'nodeType'> {
  return credits === 0 ? {} : { credits: (previousStep?.credits ?? 0) + credits, nodeType: node.nodeType };
}

function toWakeReason(options: RunOptions, step: SelfSuspended): NonNullable<NodeContext['suspended']> {
  const { sinceMs, untilMs } = step.suspended;
  return { sinceMs, untilMs, ...omitUndefined({ decision: findDecision(options, step) }) };
}

/** Returns the decision for a node that waited for one: that of a user, or after its time the one that the node set. */
export function findDecision(
  { decisions, now }: Pick<RunOptions, 'decisions' | 'now'>,
  { nodeId, suspended, approval }: Step,
): Json | undefined {
  if (suspended?.kind !== 'decision') return undefined;
  const decision = decisions?.get(nodeId);
  if (decision !== undefined) return decision;
  const timeoutDecision = approval?.timeoutDecision ?? null;
  if (timeoutDecision === null || suspended.untilMs > now()) return undefined;
  return { approved: timeoutDecision === 'approve', by: { via: 'timeout' }, atMs: suspended.untilMs };
}

type SelfSuspended = Step & { readonly suspended: NonNullable<Step['suspended']> };

/** Returns whether the node itself asked to wait, as opposed to waiting for a provider call. */
export function isSelfSuspended(step: Step | undefined): step is SelfSuspended {
  return step?.suspended !== undefined && step.suspended.kind !== 'call';
}

export function toReportedError(options: RunOptions, nodeId: string, thrown: unknown): StepError {
  const { message, ...error } = toStepError(thrown, err => options.onError?.(nodeId, err));
  return { ...error, message: options.secrets?.scrub(message) ?? message };
}
