// Tracks which nodes of a plan can start by counting the unsettled sources of each node.
import type { Plan } from '../graph/plan.ts';

export class ReadySet {
  readonly #plan: Plan;
  /** The number of unsettled sources by node; -1 once the node itself has settled. */
  readonly #unsettledSourceCounts: number[];
  readonly #queue: number[] = [];
  #head = 0;
  #unsettledCount: number;

  /** Creates the set. `settledIndexes` lists the nodes that settled in an earlier attempt. */
  constructor(plan: Plan, settledIndexes: readonly number[]) {
    this.#plan = plan;
    this.#unsettledSourceCounts = plan.nodes.map(node => node.sourceCount);
    this.#unsettledCount = plan.nodes.length - settledIndexes.length;
    for (const index of settledIndexes) this.#releaseDependents(index);
    for (const index of settledIndexes) this.#unsettledSourceCounts[index] = -1;
    for (const [index, sourceCount] of this.#unsettledSourceCounts.entries())
      if (sourceCount === 0) this.#queue.push(index);
  }

  /** Returns the number of nodes that have not settled, ready or not. */
  get unsettledCount(): number {
    return this.#unsettledCount;
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
    this.#unsettledSourceCounts[index] = -1;
    this.#unsettledCount--;
    for (const dependent of this.#releaseDependents(index)) {
      if (this.#unsettledSourceCounts[dependent] === 0) this.#queue.push(dependent);
    }
  }

  /** Counts the node as settled for its dependents, and returns them. */
  #releaseDependents(index: number): readonly number[] {
    const dependents = this.#plan.nodes[index]?.dependents ?? [];
    for (const dependent of dependents) {
      const sourceCount = this.#unsettledSourceCounts[dependent] ?? -1;
      if (sourceCount > 0) this.#unsettledSourceCounts[dependent] = sourceCount - 1;
    }
    return dependents;
  }

  #clearQueue(): undefined {
    this.#queue.length = 0;
    this.#head = 0;
  }
}
