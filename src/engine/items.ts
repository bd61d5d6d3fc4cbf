// Runs a node that is mapped over lists: calls it once per item and gathers the results into lists. Items run
// independently. The node waits while any item's call continues at a provider.
import type { Values } from '../graph/types.ts';
import { NodeError, Suspend } from '../nodes/define.ts';
import { type CallResult, ChargedNodeError } from './call.ts';
import { gatherItems } from './fan-out.ts';
import type { PortValues } from './inputs.ts';
import {
  callWithRecord,
  type NodeExecution,
  type NodeStart,
  type StepHost,
  toCallFields,
  toReportedError,
  toReportFields,
} from './node-execution.ts';
import { TOO_LARGE_ERROR } from './output-size.ts';
import type { Step, StepError } from './types.ts';

/** A node that is mapped over lists. */
interface Mapping {
  readonly host: StepHost;
  readonly execution: NodeExecution;
  readonly portValues: readonly PortValues[];
  /** Results by item; null if the item has none yet. */
  readonly results: (Values | null)[];
  readonly failures: Map<number, StepError>;
  /** Results that the budget has counted only by the length of their texts. */
  readonly partlyCounted: Values[];
  cachedCount: number;
  credits: number;
}

/** Runs the node for each item without a result from this or an earlier attempt. */
export async function runItems(
  host: StepHost,
  execution: NodeExecution,
  portValues: readonly PortValues[],
): Promise<Step> {
  const { previousStep } = execution;
  const earlierResults = previousStep?.items?.length === portValues.length ? previousStep.items : undefined;
  const failures = Object.entries(previousStep?.status === 'WAITING' ? (previousStep.failures ?? {}) : {});
  const mapping: Mapping = {
    host,
    execution,
    portValues,
    results: portValues.map((_, index) => earlierResults?.[index] ?? null),
    failures: new Map(failures.map(([index, error]) => [Number(index), error])),
    partlyCounted: [],
    cachedCount: 0,
    credits: previousStep?.credits ?? 0,
  };
  host.report(execution.index, toRunningStep(mapping));
  const startable = portValues.keys().filter(index => canStart(mapping, index));
  await Promise.all(startable.map(index => host.submit(() => runItem(mapping, index))));
  return finishItems(mapping);
}

/** Returns whether the item can start: it has no outcome, and its call is not waiting for the provider. */
function canStart({ host, execution, results, failures }: Mapping, index: number): boolean {
  if (results[index] !== null || failures.has(index)) return false;
  const { callWakes } = host.options;
  const { id = null, queued = false } = execution.jobs[index] ?? {};
  const isWaiting = callWakes !== undefined && (id !== null || queued);
  return !isWaiting || callWakes.isWoken(execution.node.id, index);
}

/**
 * Runs an item. Returns undefined if the item ended synchronously, so that its memory counts before the next item starts.
 */
function runItem(mapping: Mapping, index: number): Promise<void> | undefined {
  const { host, execution } = mapping;
  const report = (): void => host.report(execution.index, toRunningStep(mapping));
  const nodeCall = { item: index, isItem: true as const, progress: ignoreProgress, report };
  try {
    host.options.signal.throwIfAborted();
    const result = callWithRecord(host, execution, mapping.portValues[index] as PortValues, nodeCall);
    if (result instanceof Promise) return endLater(mapping, index, result);
    // The call was free and fast, so the items may produce a lot: texts are counted only once all items have ended.
    endItem(mapping, index, result, outputs => {
      mapping.partlyCounted.push(outputs);
      return host.options.budget?.recordMinimum(execution.node.id, outputs);
    });
  } catch (thrown) {
    failItem(mapping, index, thrown);
  }
  return undefined;
}

async function endLater(mapping: Mapping, index: number, result: Promise<CallResult>): Promise<void> {
  try {
    const { host, execution } = mapping;
    const count = (outputs: Values) => host.options.budget?.record(execution.node.id, outputs);
    endItem(mapping, index, await result, count);
  } catch (thrown) {
    failItem(mapping, index, thrown);
  }
}

/** Records the result of an item. `count` returns false if the run exceeds its limit. Throws if the node may not wait. */
function endItem(
  mapping: Mapping,
  index: number,
  result: CallResult,
  count: (outputs: Values) => boolean | undefined,
): void {
  const { results } = mapping;
  if (result instanceof Suspend) {
    if (result.kind === 'call') return;
    throw new NodeError(
      'cannot_wait',
      'A node that is mapped over a list cannot wait. Connect a single value instead.',
    );
  }
  mapping.credits += result.credits;
  // The run exceeded its limit and is stopped. Existing results are reported with the node's final step.
  if (count(result.outputs) === false) return;
  results[index] = result.outputs;
  if (result.isCached) mapping.cachedCount++;
  reportItem(mapping, index);
}

function failItem(mapping: Mapping, index: number, thrown: unknown): void {
  const { options } = mapping.host;
  if (thrown instanceof ChargedNodeError) mapping.credits += thrown.credits;
  // An item that is interrupted has not failed. It runs again when the run resumes.
  if (options.signal.aborted) return;
  mapping.failures.set(index, toReportedError(options, mapping.execution.node.id, thrown));
  reportItem(mapping, index);
}

function reportItem(mapping: Mapping, index: number): void {
  const { host, execution, results } = mapping;
  delete execution.jobs[index];
  host.report(execution.index, toRunningStep(mapping));
  host.options.onProgress?.(
    execution.node.id,
    results.filter(result => result !== null).length / results.length,
  );
}

// The node's progress is the share of finished items, so the progress of a single item is ignored.
const ignoreProgress = (): void => undefined;

function toStartFields({
  execution,
  credits,
}: Mapping): NodeStart & Pick<Step, 'credits' | 'nodeType' | 'provider' | 'warnings'> {
  const total = credits + execution.owedCredits;
  const cost = total === 0 ? {} : { credits: total, nodeType: execution.node.nodeType };
  return { ...execution.start, ...toReportFields(execution), ...cost };
}

function toRunningStep(mapping: Mapping): Step {
  const { failures } = mapping;
  return {
    ...toStartFields(mapping),
    status: 'RUNNING',
    items: [...mapping.results],
    ...(failures.size === 0 ? {} : { failures: Object.fromEntries(failures) }),
    ...toCallFields(mapping.execution),
  };
}

function finishItems(mapping: Mapping): Step {
  const { host, execution, results, failures } = mapping;
  const { budget, now, signal } = host.options;
  const { id } = execution.node;
  const finishedAtMs = now();
  const isCounted =
    budget === undefined ||
    (budget.exceededBy !== id && mapping.partlyCounted.every(outputs => budget.recordRest(id, outputs)));
  if (budget?.exceededBy === id) {
    // Paid results are kept for a resume. Free ones are dropped.
    const keptItems = mapping.credits > 0 ? { items: results } : {};
    return {
      ...toStartFields(mapping),
      ...keptItems,
      status: 'FAILED',
      error: TOO_LARGE_ERROR,
      finishedAtMs,
    };
  }
  if (!isCounted) return { ...toStartFields(mapping), status: 'CANCELLED', finishedAtMs };
  // A node whose items have all ended has ended, even if the run is stopped.
  if (signal.aborted && results.includes(null))
    return { ...toStartFields(mapping), status: 'CANCELLED', items: results, finishedAtMs };
  const isWaiting = results.some((result, index) => result === null && !failures.has(index));
  if (isWaiting) {
    const sinceMs = execution.previousStep?.suspended?.sinceMs ?? finishedAtMs;
    const untilMs = Math.max(0, ...Object.values(execution.jobs).map(({ deadlineAtMs = 0 }) => deadlineAtMs));
    return { ...toRunningStep(mapping), status: 'WAITING', suspended: { kind: 'call', sinceMs, untilMs } };
  }
  if (failures.size > 0) return { ...toStartFields(mapping), ...toFailureFields(mapping), finishedAtMs };
  const outputs = gatherItems(results as readonly Values[], execution.node.outputDefs);
  const step = { ...toStartFields(mapping), status: 'COMPLETED', outputs, finishedAtMs } as const;
  return results.length > 0 && mapping.cachedCount === results.length ? { ...step, cached: true } : step;
}

function toFailureFields({ results, failures }: Mapping): Pick<Step, 'status' | 'items' | 'error'> {
  const [index = 0] = [...failures.keys()].sort((a, b) => a - b);
  const { code, message } = failures.get(index) as StepError;
  const failedCount = `${failures.size} of ${results.length} items failed`;
  const error = { code, message: `Item ${index}, counted from 0: ${message} (${failedCount}.)` };
  return { status: 'FAILED', items: results, error };
}
