// Bounds the memory of responses that callers receive slowly: ends the oldest response of the account that keeps the most.

interface Answer {
  readonly bytes: number;
  /** The bytes that are sent, if other responses may send the same, such as a cached file. They count once. */
  readonly body?: object | undefined;
  readonly end: () => void;
}

export class UnsentAnswers {
  readonly #maxBytes: number;
  readonly #answers = new Map<string, Set<Answer>>();
  /** How many responses send each body. */
  readonly #bodyCounts = new Map<object, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a response until the returned function is called. `end` ends the response if there are too many. */
  add(account: string, answer: Answer): () => void {
    this.#answers.set(account, (this.#answers.get(account) ?? new Set()).add(answer));
    if (this.#countBody(answer, 1) === 1) this.#bytes += answer.bytes;
    while (this.#bytes > this.#maxBytes) this.#endOne();
    return () => this.#remove(account, answer);
  }

  /** Returns how many responses send the body after the change. */
  #countBody({ body }: Answer, change: 1 | -1): number {
    if (body === undefined) return change === 1 ? 1 : 0;
    const count = (this.#bodyCounts.get(body) ?? 0) + change;
    if (count === 0) this.#bodyCounts.delete(body);
    else this.#bodyCounts.set(body, count);
    return count;
  }

  #endOne(): void {
    const [first, ...others] = this.#answers.entries();
    if (first === undefined) return;
    const [account, answers] = others.reduce((a, b) => (sum(b[1]) > sum(a[1]) ? b : a), first);
    const [oldest] = answers;
    if (oldest === undefined) return;
    this.#remove(account, oldest);
    oldest.end();
  }

  #remove(account: string, answer: Answer): void {
    const answers = this.#answers.get(account);
    if (answers?.delete(answer) !== true) return;
    if (this.#countBody(answer, -1) === 0) this.#bytes -= answer.bytes;
    if (answers.size === 0) this.#answers.delete(account);
  }
}

const sum = (answers: ReadonlySet<Answer>): number => {
  let bytes = 0;
  for (const answer of answers) bytes += answer.bytes;
  return bytes;
};
