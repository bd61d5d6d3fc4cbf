// Runs a plan: starts ready nodes up to the concurrency limit until everything has settled, waits, or is stopped.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Plan, PlanNode } from '../graph/plan.ts';
import type { Values } from '../graph/types.ts';
import { collectArrivals, isSkippable } from './inputs.ts';
import type { StepHost } from './node-execution.ts';
import { endsRun, toCancelled } from './owed.ts';
import { ReadySet } from './ready.ts';
import { DECISION_TIMEOUT, runNode } from './step.ts';
import type { RunOptions, RunOutcome, Step, StepError, WaitingCalls } from './types.ts';

// Free nodes run one after the other without a pause. After this time, the loop yields to the rest of the process.
const SLICE_MS = 4;
const GRACE_MS = 30_000;

/**
 * Runs the plan from the state that the earlier steps describe. A failed node fails the run after the independent
 * branches have finished. Rejects only if a callback of the options throws.
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
  /** The number of active calls: of unmapped nodes, and of items of mapped ones. */
  #callCount = 0;
  #failure: { readonly nodeId: string; readonly error: StepError } | undefined;
  #fault: { readonly err: unknown } | undefined;
  #isClosed = false;
  /** Something could start, but memory is short. */
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
      // Also checked after a pause: the awaited event may have occurred without a turn of the event loop.
      if (performance.now() >= sliceEndMs) {
        await nextTurn();
        sliceEndMs = performance.now() + SLICE_MS;
      }
      if (this.#startNext()) continue;
      if (this.#inFlight.size === 0 && !this.#isHeldBack) return;
      await this.#pause(this.#msUntilDue());
    }
  }

  /** Gives work in flight time to stop, then reports every node that has not ended as CANCELLED. */
  async cancelInFlight(): Promise<void> {
    // Items that have not started see the aborted signal and end at once.
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
    // Ignores nodes that end after the run stopped waiting for them.
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

  /** Starts an item or a node. Returns false if none can start. */
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
    // A mapped node takes no call slot itself; its items do.
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

  /**
   * Restarts waiting nodes whose event has occurred while others still run. Decisions arrive only with another
   * execution of the run.
   */
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
    // The poller enforces the deadlines of calls.
    const untilMs = Math.min(...waits.filter(wait => wait.kind !== 'call').map(wait => wait.untilMs));
    return {
      kind: 'suspended',
      untilMs: Number.isFinite(untilMs) ? untilMs : null,
      waitsFor: waitsFor ?? 'time',
    };
  }

  /** Resolves when something has changed or the time has passed. */
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

/** Whether the node can continue: one of its calls has ended, or none was submitted. */
function hasEndedCall({ nodeId, jobs = {} }: Step, calls: WaitingCalls | undefined): boolean {
  const open = Object.keys(jobs);
  return calls === undefined || open.length === 0 || open.some(item => calls.hasEnded(nodeId, Number(item)));
}

/** A run that continues after it was stopped submits its calls again. */
function withoutWait({ suspended: _, jobs: __, ...step }: Step): Omit<Step, 'suspended' | 'jobs'> {
  return step;
}
