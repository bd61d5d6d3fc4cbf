// Brings a board to the service and what others wrote to the board. One save is under way at a time. A stale one is merged
// with what stands there and sent again, so that no save overwrites another. What the service refuses stays in the draft.
import { ApiError } from '../../sdk/src/errors.ts';
import { messages } from '../flow-messages.ts';
import { SentenceError } from '../lib/sentence-error.ts';
import type { Board } from './board.ts';
import { type Clash, isSame, mergeBoards, shareItems } from './merge.ts';

/** The workflow as the service has it. */
export interface Remote {
  readonly board: Board;
  readonly etag: string;
}

export type SaveState =
  | { readonly kind: 'saved' | 'saving' | 'unsaved' | 'offline' | 'empty' }
  | { readonly kind: 'refused'; readonly error: ApiError };

/** The service would refuse it, and whatever emptied the board should not empty the workflow. It stays in the draft. */
export class EmptyBoardError extends SentenceError {
  constructor() {
    super(messages.flow.save.empty);
  }
}

export type SaveKind = 'autosave' | 'save';

export interface SaverDeps {
  readonly read: (signal: AbortSignal) => Promise<Remote>;
  /** Throws an ApiError with `stale_write` where the service's board is not the one of `etag`. */
  readonly write: (board: Board, etag: string, how: SaveKind, signal: AbortSignal) => Promise<Remote>;
  readonly board: () => Board;
  /** Takes what others changed into the board; mine stands where both changed one value. */
  readonly absorb: (board: Board, clashes: readonly Clash[]) => void;
  readonly report: (state: SaveState) => void;
}

const PAUSE_MS = 700;
/** A person who never pauses is saved all the same, this long after the first change that the service has not. */
const MAX_WAIT_MS = 1400;
const RETRY_MS = [1000, 2000, 5000, 10_000] as const;
/** Merges in a row before a save gives up: others write faster than this one can. */
const MAX_MERGES = 5;

/** `base` is what the service had last, and what a draft is based on. */
export class Saver {
  readonly #deps: SaverDeps;
  readonly #closing = new AbortController();
  #base: Remote;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the first change was made that is not being written. */
  #changedAtMs: number | undefined;
  #failures = 0;
  #isWriting = false;
  #queue: Promise<void> = Promise.resolve();

  constructor(start: Remote, deps: SaverDeps) {
    this.#base = start;
    this.#deps = deps;
  }

  get base(): Remote {
    return this.#base;
  }

  get isDirty(): boolean {
    return !isSame(this.#deps.board(), this.#base.board);
  }

  /** The board changed: it is written after a pause of quiet. */
  notify(): void {
    if (!this.isDirty) {
      clearTimeout(this.#timer);
      // What is being written is another board: it is written over once the service has answered.
      this.#deps.report({ kind: this.#isWriting ? 'saving' : 'saved' });
      return;
    }
    this.#deps.report({ kind: 'unsaved' });
    if (this.#failures > 0) return;
    this.#changedAtMs ??= Date.now();
    const leftMs = this.#changedAtMs + MAX_WAIT_MS - Date.now();
    this.#plan(Math.max(0, Math.min(PAUSE_MS, leftMs)));
  }

  /** Somebody else wrote: it is read and merged. */
  refresh(): Promise<void> {
    return this.#enqueue(async () => {
      this.#take(await this.#deps.read(this.#closing.signal), this.#base.board);
      if (this.isDirty) this.#plan(PAUSE_MS);
    });
  }

  /** Resolves when the service has the board as it stands; throws what refuses it. */
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
    // What fails is reported by #save, and tried again.
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

  // `since` is the last state that both this board and the service's came from.
  #take(remote: Remote, since: Board): void {
    const mine = this.#deps.board();
    const { board, clashes } = mergeBoards(since, mine, remote.board);
    this.#base = { ...remote, board: shareItems(board, remote.board) };
    if (clashes.length > 0 || !isSame(board, mine)) this.#deps.absorb(board, clashes);
  }
}
