// Saves a board to the service and merges what others saved. One save runs at a time. A stale save is merged with the
// newer version and sent again, so that no save overwrites another. What the service refuses stays in the draft.
import { ApiError } from '../../sdk/src/errors.ts';
import { messages } from '../flow-messages.ts';
import { SentenceError } from '../lib/sentence-error.ts';
import type { Board } from './board.ts';
import { type Conflict, isSame, mergeBoards, shareItems } from './merge.ts';

/** The workflow at the service. */
export interface Remote {
  readonly board: Board;
  readonly etag: string;
}

export type SaveState =
  | { readonly kind: 'saved' | 'saving' | 'unsaved' | 'offline' | 'empty' }
  | { readonly kind: 'refused'; readonly error: ApiError };

/**
 * The service refuses empty workflows, and an accidentally emptied board must not empty the workflow. It stays in the
 * draft.
 */
export class EmptyBoardError extends SentenceError {
  constructor() {
    super(messages.flow.save.empty);
  }
}

export type SaveKind = 'autosave' | 'save';

export interface SaverDeps<Known extends Remote> {
  readonly read: (signal: AbortSignal) => Promise<Known>;
  /** Throws an ApiError with code `stale_write` if the service's board does not match `etag`. */
  readonly write: (board: Board, etag: string, how: SaveKind, signal: AbortSignal) => Promise<Known>;
  readonly board: () => Board;
  /** Merges changes of others into the board. Mine wins if both changed a value. */
  readonly mergeRemote: (board: Board, conflicts: readonly Conflict[]) => void;
  readonly report: (state: SaveState) => void;
}

const PAUSE_MS = 700;
/** Saves at the latest this long after the first unsaved change, even if the user never pauses. */
const MAX_WAIT_MS = 1400;
const RETRY_MS = [1000, 2000, 5000, 10_000] as const;
/** The save gives up after this many consecutive merges: others write faster. */
const MAX_MERGES = 5;

/** `base` is the last known state of the service, on which drafts are based, with all that `read` and `write` return. */
export class Saver<Known extends Remote = Remote> {
  readonly #deps: SaverDeps<Known>;
  readonly #closing = new AbortController();
  #base: Known;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Time of the first change that is not being saved. */
  #changedAtMs: number | undefined;
  #failures = 0;
  #isWriting = false;
  #queue: Promise<void> = Promise.resolve();

  constructor(start: Known, deps: SaverDeps<Known>) {
    this.#base = start;
    this.#deps = deps;
  }

  get base(): Known {
    return this.#base;
  }

  get isDirty(): boolean {
    return !isSame(this.#deps.board(), this.#base.board);
  }

  /** Called after each change. Saves after a pause. */
  notify(): void {
    if (!this.isDirty) {
      clearTimeout(this.#timer);
      // Another board is being saved; this one follows when the service has answered.
      this.#deps.report({ kind: this.#isWriting ? 'saving' : 'saved' });
      return;
    }
    this.#deps.report({ kind: 'unsaved' });
    if (this.#failures > 0) return;
    this.#changedAtMs ??= Date.now();
    const leftMs = this.#changedAtMs + MAX_WAIT_MS - Date.now();
    this.#plan(Math.max(0, Math.min(PAUSE_MS, leftMs)));
  }

  /** Called when another writer saved: reads and merges. */
  refresh(): Promise<void> {
    return this.#enqueue(async () => {
      this.#take(await this.#deps.read(this.#closing.signal), this.#base.board);
      if (this.isDirty) this.#plan(PAUSE_MS);
    });
  }

  /** Resolves when the service has the current board. Throws the error that prevents it. */
  flush(how: SaveKind = 'save'): Promise<void> {
    return this.#enqueue(() => this.#save(how));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
  }

  #plan(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    // #save reports the failure and retries.
    this.#timer = setTimeout(() => this.flush('autosave').catch(() => undefined), ms);
  }

  #enqueue(step: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(step);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #save(how: SaveKind): Promise<void> {
    clearTimeout(this.#timer);
    this.#changedAtMs = undefined;
    if (how === 'autosave' && !this.isDirty) return;
    if (this.#deps.board().nodes.length === 0) {
      this.#deps.report({ kind: 'empty' });
      throw new EmptyBoardError();
    }
    this.#deps.report({ kind: 'saving' });
    this.#isWriting = true;
    try {
      await this.#write(how);
    } catch (err) {
      this.#fail(err);
      throw err;
    } finally {
      this.#isWriting = false;
    }
    this.#failures = 0;
    this.notify();
  }

  async #write(how: SaveKind): Promise<void> {
    for (let merges = 0; ; merges++) {
      const sent = this.#deps.board();
      try {
        this.#take(await this.#deps.write(sent, this.#base.etag, how, this.#closing.signal), sent);
        return;
      } catch (err) {
        if (!(err instanceof ApiError && err.code === 'stale_write') || merges === MAX_MERGES) throw err;
        this.#take(await this.#deps.read(this.#closing.signal), this.#base.board);
      }
    }
  }

  #fail(err: unknown): void {
    if (this.#closing.signal.aborted) return;
    const isRefusal = err instanceof ApiError && err.status < 500 && err.status !== 429;
    this.#deps.report(isRefusal ? { kind: 'refused', error: err } : { kind: 'offline' });
    if (!isRefusal) this.#plan(RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)] ?? PAUSE_MS);
  }

  // `since` is the last common ancestor of this board and the service's.
  #take(remote: Known, since: Board): void {
    const mine = this.#deps.board();
    const { board, conflicts } = mergeBoards(since, mine, remote.board);
    this.#base = { ...remote, board: shareItems(board, remote.board) };
    if (conflicts.length > 0 || !isSame(board, mine)) this.#deps.mergeRemote(board, conflicts);
  }
}
