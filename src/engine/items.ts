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
import { TOO_LARGE } from './output-size.ts';
import type { Step, StepError } from './types.ts';

interface Items {
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
  const items: Items = {
    host,
    execution,
    portValues,
    results: portValues.map((_, index) => earlierResults?.[index] ?? null),
    failures: new Map(failures.map(([index, error]) => [Number(index), error])),
    partlyCounted: [],
    cachedCount: 0,
    credits: previousStep?.credits ?? 0,
  };
  host.report(execution.index, toRunningStep(items));
  const startable = portValues.keys().filter(index => canStart(items, index));
  await Promise.all(startable.map(index => host.submit(() => runItem(items, index))));
  return finishItems(items);
}

/** Returns whether the item can start: it has no outcome, and its call is not waiting for the provider. */
function canStart({ host, execution, results, failures }: Items, index: number): boolean {
  if (results[index] !== null || failures.has(index)) return false;
  const { calls } = host.options;
  const { id = null, queued = false } = execution.jobs[index] ?? {};
  const isAtProvider = calls !== undefined && (id !== null || queued);
  return !isAtProvider || calls.isWoken(execution.node.id, index);
}

/** Runs an item. Returns undefined if it ended synchronously, so that its memory counts before the next one starts. */
function runItem(items: Items, index: number): Promise<void> | undefined {
  const { host, execution } = items;
  const report = (): void => host.report(execution.index, toRunningStep(items));
  const nodeCall = { item: index, progress: ignoreProgress, report };
  try {
    host.options.signal.throwIfAborted();
    const result = callWithRecord(host, execution, items.portValues[index] as PortValues, nodeCall);
    if (result instanceof Promise) return endLater(items, index, result);
    // Free and fast, so it may produce a lot: texts are counted only once all items have ended within the limit.
    endItem(items, index, result, outputs => {
      items.partlyCounted.push(outputs);
      return host.options.budget?.recordAtLeast(execution.node.id, outputs);
    });
  } catch (thrown) {
    failItem(items, index, thrown);
  }
  return undefined;
}

async function endLater(items: Items, index: number, result: Promise<CallResult>): Promise<void> {
  try {
    const { host, execution } = items;
    const count = (outputs: Values) => host.options.budget?.record(execution.node.id, outputs);
    endItem(items, index, await result, count);
  } catch (thrown) {
    failItem(items, index, thrown);
  }
}

/** Records the result of an item. `count` returns false if the run exceeds its limit. Throws if the node may not wait. */
function endItem(
  items: Items,
  index: number,
  result: CallResult,
  count: (outputs: Values) => boolean | undefined,
): void {
  const { results } = items;
  if (result instanceof Suspend) {
    if (result.kind === 'call') return;
    throw new NodeError(
      'cannot_wait',
      'A node that is mapped over a list cannot wait. Connect a single value instead.',
    );
  }
  items.credits += result.credits;
  // The run exceeded its limit and is stopped. Existing results are reported with the node's final step.
  if (count(result.outputs) === false) return;
  results[index] = result.outputs;
  if (result.isCached) items.cachedCount++;
  reportItem(items, index);
}

function failItem(items: Items, index: number, thrown: unknown): void {
  const { options } = items.host;
  if (thrown instanceof ChargedNodeError) items.credits += thrown.credits;
  // An item that is interrupted has not failed. It runs again when the run resumes.
  if (options.signal.aborted) return;
  items.failures.set(index, toReportedError(options, items.execution.node.id, thrown));
  reportItem(items, index);
}

function reportItem(items: Items, index: number): void {
  const { host, execution, results } = items;
  delete execution.jobs[index];
  host.report(execution.index, toRunningStep(items));
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
}: Items): NodeStart & Pick<Step, 'credits' | 'nodeType' | 'provider' | 'warnings'> {
  const total = credits + execution.owedCredits;
  const cost = total === 0 ? {} : { credits: total, nodeType: execution.node.nodeType };
  return { ...execution.start, ...toReportFields(execution), ...cost };
}

function toRunningStep(items: Items): Step {
  const { failures } = items;
  return {
    ...toStartFields(items),
    status: 'RUNNING',
    items: [...items.results],
    ...(failures.size === 0 ? {} : { failures: Object.fromEntries(failures) }),
    ...toCallFields(items.execution),
  };
}

function finishItems(items: Items): Step {
  const { host, execution, results, failures } = items;
  const { budget, now, signal } = host.options;
  const { id } = execution.node;
  const finishedAtMs = now();
  const isCounted =
    budget === undefined ||
    (budget.exceededBy !== id && items.partlyCounted.every(outputs => budget.recordRest(id, outputs)));
  if (budget?.exceededBy === id) {
    // Paid results are kept for a resume. Free ones are dropped.
    const keptItems = items.credits > 0 ? { items: results } : {};
    return { ...toStartFields(items), ...keptItems, status: 'FAILED', error: TOO_LARGE, finishedAtMs };
  }
  if (!isCounted) return { ...toStartFields(items), status: 'CANCELLED', finishedAtMs };
  // A node whose items have all ended has ended, even if the run is stopped.
  if (signal.aborted && results.includes(null))
    return { ...toStartFields(items), status: 'CANCELLED', items: results, finishedAtMs };
  const isWaiting = results.some((result, index) => result === null && !failures.has(index));
  if (isWaiting) {
    const sinceMs = execution.previousStep?.suspended?.sinceMs ?? finishedAtMs;
    const untilMs = Math.max(0, ...Object.values(execution.jobs).map(({ deadlineAtMs = 0 }) => deadlineAtMs));
    return { ...toRunningStep(items), status: 'WAITING', suspended: { kind: 'call', sinceMs, untilMs } };
  }
  if (failures.size > 0) return { ...toStartFields(items), ...toFailureFields(items), finishedAtMs };
  const outputs = gatherItems(results as readonly Values[], execution.node.outputDefs);
  const step = { ...toStartFields(items), status: 'COMPLETED', outputs, finishedAtMs } as const;
  return results.length > 0 && items.cachedCount === results.length ? { ...step, cached: true } : step;
}

function toFailureFields({ results, failures }: Items): Pick<Step, 'status' | 'items' | 'error'> {
  const [index = 0] = [...failures.keys()].sort((a, b) => a - b);
  const { code, message } = failures.get(index) as StepError;
  const share = `${failures.size} of ${results.length} items failed`;
  const error = { code, message: `Item ${index}, counted from 0: ${message} (${share}.)` };
  return { status: 'FAILED', items: results, error };
}
