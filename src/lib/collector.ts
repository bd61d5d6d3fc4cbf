// Keeps a limited number of items and counts the rest.

/** The most that a collector keeps. */
export interface Budget {
  readonly items: number;
  /** Default: no limit, for items of a known size. */
  readonly bytes?: number;
}

export class Collector<T> {
  readonly #budget: Budget;
  readonly #countBytes: (item: T) => number;
  readonly #items: T[] = [];
  #bytes = 0;
  #total = 0;

  /** `countBytes` is needed if the budget limits bytes. */
  constructor(budget: Budget, countBytes: (item: T) => number = () => 0) {
    this.#budget = budget;
    this.#countBytes = countBytes;
  }

  /** The items that were kept, the first ones. */
  get items(): readonly T[] {
    return this.#items;
  }

  /** How many items were added. */
  get total(): number {
    return this.#total;
  }

  /** The size of the items that were kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the next item cannot be kept, or an earlier one was not. */
  get isFull(): boolean {
    return this.#total > this.#items.length || this.#items.length >= this.#budget.items;
  }

  /** Keeps the item if it fits and all earlier items did. Otherwise only counts it. Returns whether it was kept. */
  add(item: T): boolean {
    this.#total++;
    if (this.#total > this.#items.length + 1 || this.#items.length >= this.#budget.items) return false;
    const bytes = this.#bytes + this.#countBytes(item);
    if (bytes > (this.#budget.bytes ?? Number.POSITIVE_INFINITY)) return false;
    this.#bytes = bytes;
    this.#items.push(item);
    return true;
  }
}
