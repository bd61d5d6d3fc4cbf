// Runs a plan: starts ready nodes up to the concurrency limit until everything has settled, waits, or is stopped.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Plan, PlanNode } from '../graph/plan.ts';
import type { Values } from '../graph/types.ts';
import { collectPortValues, isSkipped } from './inputs.ts';
import type { StepHost } from './node-execution.ts';
import { ReadySet } from './ready.ts';
import { DECISION_TIMEOUT, runNode } from './step.ts';
import { endsRun, toCancelled } from './step-end.ts';
import type { CallWakes, LoopTurns, RunOptions, RunOutcome, Step, StepError } from './types.ts';

// Local nodes run one after another synchronously. After this time, the loop yields to the rest of the process.
const SLICE_MS = 4;
const NEXT_TURNS: LoopTurns = { turnNumber: 0, isContended: false, wait: () => nextTurn() };
const GRACE_MS = 30_000;

/**
 * Runs the plan, continuing from `options.steps`. If a node fails, independent branches still finish before the run
 * fails. Rejects only if a callback of the options throws.
 */
export async function runPlan(plan: Plan, options: RunOptions): Promise<RunOutcome> {
  const run = new PlanRun(plan, options);
  options.signal.addEventListener('abort', run.wake);
  const unsubscribes = [options.callWakes?.subscribe(run.wake), options.budget?.subscribe(run.wake)];
  try {
    await run.runUntilIdle();
    if (options.signal.aborted) await run.cancelInFlight();
    return run.getOutcome();
  } finally {
    for (const unsubscribe of unsubscribes) unsubscribe?.();
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
  readonly #itemQueue: (() => Promise<void> | undefined)[] = [];
  /** Nodes that have started and not finished. */
  readonly #inFlight = new Set<number>();
  readonly #waitingNodes = new Set<number>();
  /** The number of active calls: of unmapped nodes, and of items of mapped nodes. */
  #callCount = 0;
  /** The first node failure, which fails the run. */
  #failure: { readonly nodeId: string; readonly error: StepError } | undefined;
  /** The first error that a callback of the options threw, which rejects the run. */
  #fault: { readonly err: unknown } | undefined;
  #isClosed = false;
  /** Whether work is ready but cannot start until memory is free. */
  #isOutOfMemory = false;
  #wake: (() => void) | undefined;

  constructor(plan: Plan, options: RunOptions) {
    this.#plan = plan;
    this.options = options;
    this.#steps = plan.nodes.map(node => options.steps.get(node.id));
    const settledIndexes: number[] = [];
    for (const [index, step] of this.#steps.entries()) {
      if (step?.status !== 'COMPLETED' && step?.status !== 'FAILED') continue;
      settledIndexes.push(index);
      this.#recordFailure(step);
    }
    this.#ready = new ReadySet(plan, settledIndexes);
  }

  readonly wake = (): void => this.#wake?.();

  /** Returns when nothing is in flight and nothing can start, or as soon as the signal fires. */
  async runUntilIdle(): Promise<void> {
    const { turns = NEXT_TURNS } = this.options;
    let turnNumber: number | undefined;
    let sliceEndMs = 0;
    while (!this.options.signal.aborted) {
      if (!this.#canStartNext()) {
        if (this.#inFlight.size === 0 && !this.#isOutOfMemory) return;
        await this.#pause(this.#msUntilDue());
      } else if (performance.now() < sliceEndMs) this.#startNext();
      else {
        // A pause may have ended without a turn of the event loop.
        if (turns.turnNumber === turnNumber || turns.isContended) await turns.wait();
        turnNumber = turns.turnNumber;
        sliceEndMs = performance.now() + SLICE_MS;
      }
    }
  }

  /** Waits for work in flight to stop, then reports every unfinished node as CANCELLED. */
  async cancelInFlight(): Promise<void> {
    // Items that have not started see the aborted signal and end immediately.
    for (const startItem of this.#itemQueue.splice(0)) startItem();
    const endMs = performance.now() + (this.options.graceMs ?? GRACE_MS);
    while (this.#inFlight.size > 0 && performance.now() < endMs) {
      await this.#pause(endMs - performance.now());
    }
    const finishedAtMs = this.options.now();
    for (const index of [...this.#inFlight, ...this.#waitingNodes]) {
      const step = this.#steps[index];
      if (step === undefined) continue;
      const finalStep = endsRun(this.options.signal)
        ? toCancelled(step)
        : { ...withoutWait(step), status: 'CANCELLED' as const };
      this.report(index, { ...finalStep, finishedAtMs });
    }
    this.#isClosed = true;
  }

  getOutcome(): RunOutcome {
    if (this.options.signal.aborted && this.#ready.unsettledCount > 0) return { kind: 'aborted' };
    if (this.#waitingNodes.size > 0) return this.#toSuspendedOutcome();
    if (this.#failure === undefined) return { kind: 'completed' };
    return { kind: this.#failure.error.code === DECISION_TIMEOUT ? 'expired' : 'failed', ...this.#failure };
  }

  report(index: number, step: Step): void {
    // Nodes that finish after the grace period are ignored.
    if (this.#isClosed) return;
    this.#steps[index] = step;
    this.options.onStep(step);
  }

  submit(work: () => Promise<void> | undefined): Promise<void> {
    return new Promise(resolve => {
      this.#itemQueue.push(() => {
        const end = work();
        if (end === undefined) resolve();
        return end?.then(resolve);
      });
      this.wake();
    });
  }

  /** Returns whether an item or node can start now. */
  #canStartNext(): boolean {
    if (this.#fault !== undefined) throw this.#fault.err;
    if (this.#waitingNodes.size > 0) this.#requeueDue();
    this.#isOutOfMemory = false;
    if (this.#itemQueue.length === 0 && !this.#ready.hasNext) return false;
    if (this.#callCount >= this.options.concurrency) return false;
    this.#isOutOfMemory = this.options.budget?.canStart() === false;
    return !this.#isOutOfMemory;
  }

  #startNext(): void {
    const startItem = this.#itemQueue.shift();
    if (startItem !== undefined) {
      const end = startItem();
      if (end !== undefined) this.#track(end);
      return;
    }
    const index = this.#ready.shiftNext();
    if (index !== undefined) this.#start(index, this.#plan.nodes[index] as PlanNode);
  }

  #start(index: number, node: PlanNode): void {
    const previousStep = this.#steps[index];
    if (previousStep?.status === 'WAITING' && !this.#isDue(previousStep)) {
      this.#waitingNodes.add(index);
      return;
    }
    const portValues = collectPortValues(node, this.#getOutputs);
    if (isSkipped(node, portValues)) {
      this.#skip(index, node, previousStep);
      return;
    }
    const step = runNode(this, { index, node, portValues, previousStep });
    if (!(step instanceof Promise)) {
      this.#finish(index, step);
      return;
    }
    this.#inFlight.add(index);
    const finishing = step.then(awaited => this.#finish(index, awaited));
    // The items of a mapped node take call slots; the node itself does not.
    if (this.#steps[index]?.items === undefined) this.#track(finishing);
    else finishing.then(this.wake, this.#recordFault);
  }

  #skip(index: number, node: PlanNode, previousStep: Step | undefined): void {
    if (previousStep?.status !== 'SKIPPED') {
      this.report(index, { nodeId: node.id, status: 'SKIPPED', attempt: previousStep?.attempt ?? 0 });
    }
    this.#ready.settle(index);
  }

  #finish(index: number, step: Step): void {
    this.#inFlight.delete(index);
    if (this.#isClosed) return;
    this.report(index, step);
    if (step.status === 'CANCELLED') return;
    if (step.status === 'WAITING') {
      this.#waitingNodes.add(index);
      return;
    }
    this.#recordFailure(step);
    this.#ready.settle(index);
  }

  #track(work: Promise<void>): void {
    this.#callCount++;
    const onDone = (): void => {
      this.#callCount--;
      this.wake();
    };
    work.then(onDone, this.#recordFault);
  }

  readonly #recordFault = (err: unknown): void => {
    this.#fault ??= { err };
    this.wake();
  };

  readonly #getOutputs = (sourceIndex: number): Values | undefined => {
    const step = this.#steps[sourceIndex];
    return step?.status === 'COMPLETED' ? step.outputs : undefined;
  };

  #recordFailure({ nodeId, status, error }: Step): void {
    if (status === 'FAILED' && error !== undefined) this.#failure ??= { nodeId, error };
  }

  #isDue(step: Step): boolean {
    const { nodeId, suspended } = step;
    if (suspended?.kind === 'call') return hasWokenCall(step, this.options.callWakes);
    if (suspended === undefined || suspended.untilMs <= this.options.now()) return true;
    return suspended.kind === 'decision' && this.options.decisions?.has(nodeId) === true;
  }

  /**
   * Restarts waiting nodes that are due while other nodes still run. Decisions are not checked, because they arrive
   * only when the run is claimed again.
   */
  #requeueDue(): void {
    for (const index of this.#waitingNodes) {
      const step = this.#steps[index];
      if (step === undefined || step.suspended?.kind === 'decision' || !this.#isDue(step)) continue;
      this.#waitingNodes.delete(index);
      this.#ready.requeue(index);
    }
  }

  #msUntilDue(): number | undefined {
    const dueMs = this.#listWaits()
      .filter(wait => wait.kind === 'time')
      .map(wait => wait.untilMs);
    return dueMs.length === 0 ? undefined : Math.min(...dueMs) - this.options.now();
  }

  #listWaits(): NonNullable<Step['suspended']>[] {
    return [...this.#waitingNodes].flatMap(index => this.#steps[index]?.suspended ?? []);
  }

  #toSuspendedOutcome(): RunOutcome {
    const waits = this.#listWaits();
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

/** Returns whether the node can continue: one of its calls was woken, or it has no calls. */
function hasWokenCall({ nodeId, jobs = {} }: Step, callWakes: CallWakes | undefined): boolean {
  const items = Object.keys(jobs);
  if (callWakes === undefined || items.length === 0) return true;
  return items.some(item => callWakes.isWoken(nodeId, Number(item)));
}

/** Removes the suspended state. A stopped run that continues submits its calls again. */
function withoutWait({ suspended: _, jobs: __, ...step }: Step): Omit<Step, 'suspended' | 'jobs'> {
  return step;
}
