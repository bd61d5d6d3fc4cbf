// Bounds the memory of transfers that callers make slowly, such as responses that they have not received: ends the oldest
// transfer of the account that keeps the most.

interface Transfer {
  readonly bytes: number;
  /** The bytes, if other transfers may share them, such as a cached file that several responses send. They count once. */
  readonly body?: object | undefined;
  readonly end: () => void;
}

export class HeldMemory {
  readonly #maxBytes: number;
  readonly #transfers = new Map<string, Set<Transfer>>();
  /** How many transfers share each body. */
  readonly #bodyCounts = new Map<object, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a transfer until the returned function is called. `end` ends the transfer if all keep too much. */
  add(account: string, transfer: Transfer): () => void {
    this.#transfers.set(account, (this.#transfers.get(account) ?? new Set()).add(transfer));
    if (this.#countBody(transfer, 1) === 1) this.#bytes += transfer.bytes;
    while (this.#bytes > this.#maxBytes) this.#endOne();
    return () => this.#remove(account, transfer);
  }

  /** Returns how many transfers share the body after the change. */
  #countBody({ body }: Transfer, change: 1 | -1): number {
    if (body === undefined) return change === 1 ? 1 : 0;
    const count = (this.#bodyCounts.get(body) ?? 0) + change;
    if (count === 0) this.#bodyCounts.delete(body);
    else this.#bodyCounts.set(body, count);
    return count;
  }

  #endOne(): void {
    const [first, ...others] = this.#transfers.entries();
    if (first === undefined) return;
    const [account, transfers] = others.reduce((a, b) => (sum(b[1]) > sum(a[1]) ? b : a), first);
    const [oldest] = transfers;
    if (oldest === undefined) return;
    this.#remove(account, oldest);
    oldest.end();
  }

  #remove(account: string, transfer: Transfer): void {
    const transfers = this.#transfers.get(account);
    if (transfers?.delete(transfer) !== true) return;
    if (this.#countBody(transfer, -1) === 0) this.#bytes -= transfer.bytes;
    if (transfers.size === 0) this.#transfers.delete(account);
  }
}

const sum = (transfers: ReadonlySet<Transfer>): number => {
  let bytes = 0;
  for (const transfer of transfers) bytes += transfer.bytes;
  return bytes;
};
