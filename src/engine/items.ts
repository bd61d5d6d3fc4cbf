// A node mapped over lists: a call for each item, the results as lists again. Items neither stop nor delay each other;
// the node waits while calls of any of them go on at a provider.
import type { Values } from '../graph/types.ts';
import { NodeError, Suspend } from '../nodes/define.ts';
import { TOO_LARGE } from './budget.ts';
import { ChargedFailure } from './call.ts';
import { gatherItems } from './fan-out.ts';
import type { Arrivals } from './inputs.ts';
import { type Begun, call, explain, type Job, jobsOf, providerOf, type StepHost } from './node-job.ts';
import type { Step, StepError } from './types.ts';

interface Items {
  readonly host: StepHost;
  readonly job: Job;
  readonly arrivals: readonly Arrivals[];
  /** By item; null: it has none yet. */
  readonly results: (Values | null)[];
  readonly failures: Map<number, StepError>;
  cachedCount: number;
  credits: number;
}

/** Runs the node for each item that has no result yet, of this attempt or an earlier one. */
export async function runItems(host: StepHost, job: Job, arrivals: readonly Arrivals[]): Promise<Step> {
  const { earlier } = job;
  const kept = earlier?.items?.length === arrivals.length ? earlier.items : undefined;
  const failures = Object.entries(earlier?.status === 'WAITING' ? (earlier.failures ?? {}) : {});
  const items: Items = {
    host,
    job,
    arrivals,
    results: arrivals.map((_, index) => kept?.[index] ?? null),
    failures: new Map(failures.map(([index, error]) => [Number(index), error])),
    cachedCount: 0,
    credits: earlier?.credits ?? 0,
  };
  host.report(job.index, running(items));
  const open = arrivals.keys().filter(index => isOpen(items, index));
  await Promise.all(open.map(index => host.submit(() => runItem(items, index))));
  return endOf(items);
}

/** Neither done nor waited for. */
function isOpen({ host, job, results, failures }: Items, index: number): boolean {
  if (results[index] !== null || failures.has(index)) return false;
  const { calls } = host.options;
  const { id = null, queued = false } = job.jobs[index] ?? {};
  const isWaitedFor = calls !== undefined && (id !== null || queued);
  return !isWaitedFor || calls.hasEnded(job.node.id, index);
}

async function runItem(items: Items, index: number): Promise<void> {
  const { host, job, results } = items;
  const { options } = host;
  const report = (): void => host.report(job.index, running(items));
  try {
    options.signal.throwIfAborted();
    const turn = { item: index, progress: ignoreProgress, report };
    const result = await call(host, job, items.arrivals[index] as Arrivals, turn);
    if (result instanceof Suspend) {
      if (result.kind === 'call') return;
      throw new NodeError('cannot_wait', 'A node cannot wait while it is run for the items of a list.');
    }
    items.credits += result.credits;
    // The run is over: what did arrive is reported with the end of the node.
    if (options.budget?.take(job.node.id, result.outputs) === false) return;
    results[index] = result.outputs;
    if (result.isCached) items.cachedCount++;
  } catch (thrown) {
    if (thrown instanceof ChargedFailure) items.credits += thrown.credits;
    // Of a run that is stopped no item has failed: it is asked for again.
    if (options.signal.aborted) return;
    items.failures.set(index, explain(options, job.node.id, thrown));
  }
  delete job.jobs[index];
  report();
  options.onProgress?.(job.node.id, results.filter(result => result !== null).length / results.length);
}

// An item's own fraction says little of all of them; the node's progress is the share of items done.
const ignoreProgress = (): void => undefined;

function begunOf({
  job,
  credits,
}: Items): Begun & Pick<Step, 'credits' | 'nodeType' | 'provider' | 'warnings'> {
  const total = credits + job.owed;
  const cost = total === 0 ? {} : { credits: total, nodeType: job.node.nodeType };
  return { ...job.begun, ...providerOf(job), ...cost };
}

function running(items: Items): Step {
  const { failures } = items;
  return {
    ...begunOf(items),
    status: 'RUNNING',
    items: [...items.results],
    ...(failures.size === 0 ? {} : { failures: Object.fromEntries(failures) }),
    ...jobsOf(items.job),
  };
}

function endOf(items: Items): Step {
  const { host, job, results, failures } = items;
  const finishedAtMs = host.options.now();
  if (host.options.budget?.exceededBy === job.node.id) {
    // Results that cost are kept for a resume; the others are let go.
    const kept = items.credits > 0 ? { items: results } : {};
    return { ...begunOf(items), ...kept, status: 'FAILED', error: TOO_LARGE, finishedAtMs };
  }
  if (host.options.signal.aborted)
    return { ...begunOf(items), status: 'CANCELLED', items: results, finishedAtMs };
  const isWaiting = results.some((result, index) => result === null && !failures.has(index));
  if (isWaiting) {
    const sinceMs = job.earlier?.suspended?.sinceMs ?? finishedAtMs;
    const untilMs = Math.max(0, ...Object.values(job.jobs).map(({ deadlineAtMs = 0 }) => deadlineAtMs));
    return { ...running(items), status: 'WAITING', suspended: { kind: 'call', sinceMs, untilMs } };
  }
  if (failures.size > 0) return { ...begunOf(items), ...failed(items), finishedAtMs };
  const outputs = gatherItems(results as readonly Values[], job.node.outputDefs);
  const step = { ...begunOf(items), status: 'COMPLETED', outputs, finishedAtMs } as const;
  return results.length > 0 && items.cachedCount === results.length ? { ...step, cached: true } : step;
}

function failed({ results, failures }: Items): Pick<Step, 'status' | 'items' | 'error'> {
  const [index = 0] = [...failures.keys()].sort((a, b) => a - b);
  const { code, message } = failures.get(index) as StepError;
  const share = `${failures.size} of ${results.length} items failed`;
  const error = { code, message: `Item ${index}, counted from 0: ${message} (${share}.)` };
  return { status: 'FAILED', items: results, error };
}
