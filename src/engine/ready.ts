// Tracks which nodes of a plan can start by counting the unsettled sources of each node.
import type { Plan } from '../graph/plan.ts';

export class ReadySet {
  readonly #plan: Plan;
  /** The number of unsettled sources by node; -1 once the node itself has settled. */
  readonly #openSources: number[];
  readonly #queue: number[] = [];
  #head = 0;
  #unsettled: number;

  /** Creates the set. `settled` lists the indexes of nodes that settled in an earlier attempt. */
  constructor(plan: Plan, settled: readonly number[]) {
    this.#plan = plan;
    this.#openSources = plan.nodes.map(node => node.sourceCount);
    this.#unsettled = plan.nodes.length - settled.length;
    for (const index of settled) this.#release(index);
    for (const index of settled) this.#openSources[index] = -1;
    for (const [index, openSources] of this.#openSources.entries())
      if (openSources === 0) this.#queue.push(index);
  }

  /** Returns the number of nodes that have not settled, ready or not. */
  get unsettled(): number {
    return this.#unsettled;
  }

  get hasNext(): boolean {
    return this.#head < this.#queue.length;
  }

  /** Removes and returns the node that has been ready longest. */
  shiftNext(): number | undefined {
    return this.#queue[this.#head++] ?? this.#clearQueue();
  }

  /** Queues a node again, so that it starts again. */
  requeue(index: number): void {
    this.#queue.push(index);
  }

  /** Marks the node as settled. Nodes that waited only for this node become ready. */
  settle(index: number): void {
    this.#openSources[index] = -1;
    this.#unsettled--;
    for (const dependent of this.#release(index)) {
      if (this.#openSources[dependent] === 0) this.#queue.push(dependent);
    }
  }

  #release(index: number): readonly number[] {
    const dependents = this.#plan.nodes[index]?.dependents ?? [];
    for (const dependent of dependents) {
      const openSources = this.#openSources[dependent] ?? -1;
      if (openSources > 0) this.#openSources[dependent] = openSources - 1;
    }
    return dependents;
  }

  #clearQueue(): undefined {
    this.#queue.length = 0;
    this.#head = 0;
  }
}
