// Bounds the memory of responses that callers receive slowly: ends the oldest response of the account that keeps the most.

interface Answer {
  readonly bytes: number;
  readonly end: () => void;
}

export class UnsentAnswers {
  readonly #maxBytes: number;
  readonly #answers = new Map<string, Set<Answer>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a response until the returned function is called. `end` ends the response if there are too many. */
  add(account: string, bytes: number, end: () => void): () => void {
    const answer = { bytes, end };
    this.#answers.set(account, (this.#answers.get(account) ?? new Set()).add(answer));
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes) this.#endOne();
    return () => this.#remove(account, answer);
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
    this.#bytes -= answer.bytes;
    if (answers.size === 0) this.#answers.delete(account);
  }
}

const sum = (answers: ReadonlySet<Answer>): number => {
  let bytes = 0;
  for (const answer of answers) bytes += answer.bytes;
  return bytes;
};
