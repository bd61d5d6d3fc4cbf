// Runs a plan: starts what is ready, as much at once as it may, until everything has settled, waits, or is stopped.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Plan, PlanNode } from '../graph/plan.ts';
import type { Values } from '../graph/types.ts';
import { collectArrivals, isSkippable } from './inputs.ts';
import type { StepHost } from './node-execution.ts';
import { endsRun, toCancelled } from './owed.ts';
import { ReadySet } from './ready.ts';
import { DECISION_TIMEOUT, runNode } from './step.ts';
import type { RunOptions, RunOutcome, Step, StepError, WaitingCalls } from './types.ts';

// Free nodes follow each other without a pause; so long a run of them gives way to the rest of the process.
const SLICE_MS = 4;
const GRACE_MS = 30_000;

/**
 * Runs the plan from where the earlier steps left it. A failed node fails the run once the branches that do not
 * depend on it have finished. Rejects only where a callback of the options throws.
 */
export async function runPlan(plan: Plan, options: RunOptions): Promise<RunOutcome> {
  const run = new PlanRun(plan, options);
  options.signal.addEventListener('abort', run.wake);
  const unsubscribe = [options.calls?.subscribe(run.wake), options.budget?.subscribe(run.wake)];
  try {
    await run.runUntilIdle();
    if (options.signal.aborted) await run.cancelInFlight();
    return run.outcome();
  } finally {
    for (const end of unsubscribe) end?.();
    options.signal.removeEventListener('abort', run.wake);
  }
}

class PlanRun implements StepHost {
  readonly options: RunOptions;
  readonly #plan: Plan;
  readonly #ready: ReadySet;
  /** The newest step of each node, by index. */
  readonly #steps: (Step | undefined)[];
  /** Items of mapped nodes that can start. */
  readonly #items: (() => Promise<void>)[] = [];
  /** Nodes that have started and not ended. */
  readonly #inFlight = new Set<number>();
  readonly #waiting = new Set<number>();
  /** Calls under way: nodes that are not mapped, and items of those that are. */
  #callCount = 0;
  #failure: { readonly nodeId: string; readonly error: StepError } | undefined;
  #fault: { readonly err: unknown } | undefined;
  #isClosed = false;
  /** Something could start, and there is no memory for it. */
  #isHeldBack = false;
  #wake: (() => void) | undefined;

  constructor(plan: Plan, options: RunOptions) {
    this.#plan = plan;
    this.options = options;
    this.#steps = plan.nodes.map(node => options.steps.get(node.id));
    const settled: number[] = [];
    for (const [index, step] of this.#steps.entries()) {
      if (step?.status !== 'COMPLETED' && step?.status !== 'FAILED') continue;
      settled.push(index);
      this.#noteFailure(step);
    }
    this.#ready = new ReadySet(plan, settled);
  }

  readonly wake = (): void => this.#wake?.();

  /** Returns when nothing is in flight and nothing can start, or as soon as the signal fires. */
  async runUntilIdle(): Promise<void> {
    let sliceEndMs = performance.now() + SLICE_MS;
    while (!this.options.signal.aborted) {
      // After a pause too: what it waited for may have come without a turn of the event loop.
      if (performance.now() >= sliceEndMs) {
        await nextTurn();
        sliceEndMs = performance.now() + SLICE_MS;
      }
      if (this.#startNext()) continue;
      if (this.#inFlight.size === 0 && !this.#isHeldBack) return;
      await this.#pause(this.#msUntilDue());
    }
  }

  /** Gives what is in flight its time to stop, and lists as CANCELLED whatever started and has not ended. */
  async cancelInFlight(): Promise<void> {
    // Items that have not started find the signal fired and end at once.
    for (const startItem of this.#items.splice(0)) void startItem();
    const endMs = performance.now() + (this.options.graceMs ?? GRACE_MS);
    while (this.#inFlight.size > 0 && performance.now() < endMs) {
      await this.#pause(endMs - performance.now());
    }
    const finishedAtMs = this.options.now();
    for (const index of [...this.#inFlight, ...this.#waiting]) {
      const step = this.#steps[index];
      if (step === undefined) continue;
      const last = endsRun(this.options.signal)
        ? toCancelled(step)
        : { ...withoutWait(step), status: 'CANCELLED' as const };
      this.report(index, { ...last, finishedAtMs });
    }
    this.#isClosed = true;
  }

  outcome(): RunOutcome {
    if (this.options.signal.aborted && this.#ready.unsettled > 0) return { kind: 'aborted' };
    if (this.#waiting.size > 0) return this.#suspension();
    if (this.#failure === undefined) return { kind: 'completed' };
    return { kind: this.#failure.error.code === DECISION_TIMEOUT ? 'expired' : 'failed', ...this.#failure };
  }

  report(index: number, step: Step): void {
    // A node that was given up on may still come to an end; nobody listens any more.
    if (this.#isClosed) return;
    this.#steps[index] = step;
    this.options.onStep(step);
  }

  submit(work: () => Promise<void>): Promise<void> {
    return new Promise(resolve => {
      this.#items.push(() => work().then(resolve));
      this.wake();
    });
  }

  /** Starts an item or a node; false where none can start. */
  #startNext(): boolean {
    if (this.#fault !== undefined) throw this.#fault.err;
    if (this.#waiting.size > 0) this.#wakeDue();
    this.#isHeldBack = false;
    if (this.#callCount >= this.options.concurrency) return false;
    if (this.options.budget?.canStart() === false) {
      this.#isHeldBack = this.#items.length > 0 || this.#ready.hasNext;
      return false;
    }
    const startItem = this.#items.shift();
    if (startItem !== undefined) {
      this.#track(startItem());
      return true;
    }
    const index = this.#ready.takeNext();
    if (index === undefined) return false;
    this.#start(index, this.#plan.nodes[index] as PlanNode);
    return true;
  }

  #start(index: number, node: PlanNode): void {
    const earlier = this.#steps[index];
    if (earlier?.status === 'WAITING' && !this.#isDue(earlier)) {
      this.#waiting.add(index);
      return;
    }
    const arrivals = collectArrivals(node, this.#outputsOf);
    if (isSkippable(node, arrivals)) {
      this.#skip(index, node, earlier);
      return;
    }
    const step = runNode(this, { index, node, arrivals, earlier });
    if (!(step instanceof Promise)) {
      this.#finish(index, step);
      return;
    }
    this.#inFlight.add(index);
    const landing = step.then(late => this.#finish(index, late));
    // A mapped node takes no room itself, its items do.
    if (this.#steps[index]?.items === undefined) this.#track(landing);
    else landing.then(this.wake, this.#noteFault);
  }

  #skip(index: number, node: PlanNode, earlier: Step | undefined): void {
    if (earlier?.status !== 'SKIPPED') {
      this.report(index, { nodeId: node.id, status: 'SKIPPED', attempt: earlier?.attempt ?? 0 });
    }
    this.#ready.settle(index);
  }

  #finish(index: number, step: Step): void {
    this.#inFlight.delete(index);
    if (this.#isClosed) return;
    this.report(index, step);
    if (step.status === 'CANCELLED') return;
    if (step.status === 'WAITING') {
      this.#waiting.add(index);
      return;
    }
    this.#noteFailure(step);
    this.#ready.settle(index);
  }

  #track(work: Promise<void>): void {
    this.#callCount++;
    const done = (): void => {
      this.#callCount--;
      this.wake();
    };
    work.then(done, this.#noteFault);
  }

  readonly #noteFault = (err: unknown): void => {
    this.#fault ??= { err };
    this.wake();
  };

  readonly #outputsOf = (source: number): Values | undefined => {
    const step = this.#steps[source];
    return step?.status === 'COMPLETED' ? step.outputs : undefined;
  };

  #noteFailure({ nodeId, status, error }: Step): void {
    if (status === 'FAILED' && error !== undefined) this.#failure ??= { nodeId, error };
  }

  #isDue(step: Step): boolean {
    const { nodeId, suspended } = step;
    if (suspended?.kind === 'call') return hasEndedCall(step, this.options.calls);
    if (suspended === undefined || suspended.untilMs <= this.options.now()) return true;
    return suspended.kind === 'decision' && this.options.decisions?.has(nodeId) === true;
  }

  /** Lets nodes whose time has come start again while others still run. Decisions come only with another run. */
  #wakeDue(): void {
    for (const index of this.#waiting) {
      const step = this.#steps[index];
      if (step === undefined || step.suspended?.kind === 'decision' || !this.#isDue(step)) continue;
      this.#waiting.delete(index);
      this.#ready.requeue(index);
    }
  }

  #msUntilDue(): number | undefined {
    const dueMs = this.#waits()
      .filter(wait => wait.kind === 'time')
      .map(wait => wait.untilMs);
    return dueMs.length === 0 ? undefined : Math.min(...dueMs) - this.options.now();
  }

  #waits(): NonNullable<Step['suspended']>[] {
    return [...this.#waiting].flatMap(index => this.#steps[index]?.suspended ?? []);
  }

  #suspension(): RunOutcome {
    const waits = this.#waits();
    const waitsFor = (['call', 'decision', 'time'] as const).find(kind =>
      waits.some(wait => wait.kind === kind),
    );
    // Whoever watches over calls keeps their time too.
    const untilMs = Math.min(...waits.filter(wait => wait.kind !== 'call').map(wait => wait.untilMs));
    return {
      kind: 'suspended',
      untilMs: Number.isFinite(untilMs) ? untilMs : null,
      waitsFor: waitsFor ?? 'time',
    };
  }

  /** Resolves when something has happened, or the time has passed. */
  async #pause(ms: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = ms === undefined ? undefined : setTimeout(resolve, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Whether the node has something to do: a call of it has ended, or was never asked for. */
function hasEndedCall({ nodeId, jobs = {} }: Step, calls: WaitingCalls | undefined): boolean {
  const open = Object.keys(jobs);
  return calls === undefined || open.length === 0 || open.some(item => calls.hasEnded(nodeId, Number(item)));
}

/** A run that goes on after it was stopped asks anew. */
function withoutWait({ suspended: _, jobs: __, ...step }: Step): Omit<Step, 'suspended' | 'jobs'> {
  return step;
}
