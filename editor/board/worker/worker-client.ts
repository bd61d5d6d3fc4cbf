// Runs lint and layout in one web worker, so that drawing and typing never wait for them. The first request starts the
// worker. A worker that fails or takes too long is terminated, and the next request starts another.
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import type { BoardGraph, WorkerRequest, WorkerResults } from './requests.ts';

export type WorkerMessage =
  | { readonly kind: 'catalog'; readonly entries: readonly CatalogEntry[] }
  | { readonly kind: 'request'; readonly id: number; readonly request: WorkerRequest };

export interface WorkerResponse {
  readonly id: number;
  readonly result: WorkerResults[WorkerRequest['kind']];
}

/** The part of the Worker interface that is used. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<WorkerResponse>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: WorkerMessage): void;
  terminate(): void;
}

interface PendingRequest {
  readonly resolve: (result: WorkerResults[WorkerRequest['kind']]) => void;
  readonly reject: (reason: Error) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

const TIMEOUT_MS = 20_000;

export class WorkerClient {
  readonly #entries: readonly CatalogEntry[];
  readonly #start: () => WorkerLike;
  readonly #pending = new Map<number, PendingRequest>();
  #worker: WorkerLike | undefined;
  #lastId = 0;
  /** The newest board to lint, and the lint in progress. */
  #newestBoard: BoardGraph | undefined;
  #lintInProgress: Promise<unknown> | undefined;

  constructor(entries: readonly CatalogEntry[], start: () => WorkerLike) {
    this.#entries = entries;
    this.#start = start;
  }

  arrange(board: BoardGraph, scope: readonly string[] | undefined): Promise<WorkerResults['arrange']> {
    const { nodes, edges } = board;
    return this.#send({
      kind: 'arrange',
      board: { nodes, edges },
      ...(scope === undefined ? {} : { scope }),
    });
  }

  /** Lints a board. Returns undefined if a newer board was submitted meanwhile. */
  async lint({ nodes, edges }: BoardGraph): Promise<WorkerResults['lint'] | undefined> {
    const board = { nodes, edges };
    this.#newestBoard = board;
    // Lints one board at a time. Of the boards that arrive meanwhile, only the newest is linted.
    while (this.#lintInProgress !== undefined) await this.#lintInProgress;
    if (this.#newestBoard !== board) return undefined;
    const lint = this.#send({ kind: 'lint', board });
    this.#lintInProgress = lint.then(
      () => undefined,
      () => undefined,
    );
    try {
      const result = await lint;
      return this.#newestBoard === board ? result : undefined;
    } finally {
      this.#lintInProgress = undefined;
    }
  }

  close(): void {
    this.#fail(new Error('The board was closed.'));
  }

  #send<Kind extends WorkerRequest['kind']>(
    request: WorkerRequest & { readonly kind: Kind },
  ): Promise<WorkerResults[Kind]> {
    const { promise, resolve, reject } = Promise.withResolvers<WorkerResults[WorkerRequest['kind']]>();
    const id = ++this.#lastId;
    const timer = setTimeout(() => this.#fail(new Error(`The ${request.kind} took too long.`)), TIMEOUT_MS);
    this.#pending.set(id, { resolve, reject, timer });
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage({ kind: 'request', id, request });
    // The worker returns the result type that belongs to the request's kind.
    return promise as Promise<WorkerResults[Kind]>;
  }

  #startWorker(): WorkerLike {
    const worker = this.#start();
    worker.onmessage = ({ data: { id, result } }) => {
      const request = this.#pending.get(id);
      clearTimeout(request?.timer);
      this.#pending.delete(id);
      request?.resolve(result);
    };
    worker.onerror = ({ message }) => this.#fail(new Error(message || 'The worker failed.'));
    worker.postMessage({ kind: 'catalog', entries: this.#entries });
    return worker;
  }

  #fail(reason: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(reason);
    }
    this.#pending.clear();
  }
}
