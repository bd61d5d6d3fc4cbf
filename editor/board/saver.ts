// Saves a board to the service and merges what others saved. One save runs at a time. If someone else saved first, the
// saver merges the newer version and saves again, so that no save overwrites another. Changes that the service rejects
// stay in the draft.
import { ApiError } from '../../sdk/src/errors.ts';
import { messages } from '../flow-messages.ts';
import { UserFacingError } from '../lib/user-facing-error.ts';
import type { Board } from './board.ts';
import { type Conflict, isEqual, mergeBoards, shareItems } from './merge.ts';

/** The workflow at the service. */
export interface Remote {
  readonly board: Board;
  readonly etag: string;
}

export type SaveState =
  | { readonly kind: 'saved' | 'saving' | 'unsaved' | 'offline' | 'empty' }
  | { readonly kind: 'refused'; readonly error: ApiError };

/** Thrown because the service rejects empty workflows. An empty board is only kept in the draft. */
export class EmptyBoardError extends UserFacingError {
  constructor() {
    super(messages.flow.save.empty);
  }
}

export type SaveKind = 'autosave' | 'save';

export interface SaverDeps<RemoteState extends Remote> {
  readonly read: (signal: AbortSignal) => Promise<RemoteState>;
  /** Throws an ApiError with code `stale_write` if the service's board does not match `etag`. */
  readonly write: (board: Board, etag: string, kind: SaveKind, signal: AbortSignal) => Promise<RemoteState>;
  readonly board: () => Board;
  /** Merges changes of others into the board. Mine wins if both changed a value. */
  readonly mergeRemote: (board: Board, conflicts: readonly Conflict[]) => void;
  readonly setSaveState: (state: SaveState) => void;
}

const PAUSE_MS = 700;
/** Saves at the latest this long after the first unsaved change, even if the user never pauses. */
const MAX_WAIT_MS = 1400;
const RETRY_MS = [1000, 2000, 5000, 10_000] as const;
/** A save fails after this many consecutive merges, because others save faster. */
const MAX_MERGES = 5;

/** `base` is the last known state of the service, on which drafts are based. */
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
    return !isEqual(this.#deps.board(), this.#base.board);
  }

  /** Called after each change. Saves after a pause. */
  notify(): void {
    if (!this.isDirty) {
      clearTimeout(this.#timer);
      // Another board is being saved; this one follows when the service has answered.
      this.#deps.setSaveState({ kind: this.#isWriting ? 'saving' : 'saved' });
      return;
    }
    this.#deps.setSaveState({ kind: 'unsaved' });
    if (this.#failures > 0) return;
    this.#changedAtMs ??= Date.now();
    const leftMs = this.#changedAtMs + MAX_WAIT_MS - Date.now();
    this.#schedule(Math.max(0, Math.min(PAUSE_MS, leftMs)));
  }

  /** Called when another writer saved: reads and merges. */
  refresh(): Promise<void> {
    return this.#enqueue(async () => {
      this.#mergeFrom(await this.#deps.read(this.#closing.signal), this.#base.board);
      if (this.isDirty) this.#schedule(PAUSE_MS);
    });
  }

  /** Resolves when the service has the current board. Throws the error that prevents it. */
  flush(kind: SaveKind = 'save'): Promise<void> {
    return this.#enqueue(() => this.#save(kind));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    // #save reports the failure and retries.
    this.#timer = setTimeout(() => this.flush('autosave').catch(() => undefined), ms);
  }

  #enqueue(step: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(step);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #save(kind: SaveKind): Promise<void> {
    clearTimeout(this.#timer);
    this.#changedAtMs = undefined;
    if (kind === 'autosave' && !this.isDirty) return;
    if (this.#deps.board().nodes.length === 0) {
      this.#deps.setSaveState({ kind: 'empty' });
      throw new EmptyBoardError();
    }
    this.#deps.setSaveState({ kind: 'saving' });
    this.#isWriting = true;
    try {
      await this.#write(kind);
    } catch (err) {
      this.#fail(err);
      throw err;
    } finally {
      this.#isWriting = false;
    }
    this.#failures = 0;
    this.notify();
  }

  async #write(kind: SaveKind): Promise<void> {
    for (let merges = 0; ; merges++) {
      const board = this.#deps.board();
      try {
        this.#mergeFrom(await this.#deps.write(board, this.#base.etag, kind, this.#closing.signal), board);
        return;
      } catch (err) {
        if (!(err instanceof ApiError && err.code === 'stale_write') || merges === MAX_MERGES) throw err;
        this.#mergeFrom(await this.#deps.read(this.#closing.signal), this.#base.board);
      }
    }
  }

  #fail(err: unknown): void {
    if (this.#closing.signal.aborted) return;
    const isRejected = err instanceof ApiError && err.status < 500 && err.status !== 429;
    this.#deps.setSaveState(isRejected ? { kind: 'refused', error: err } : { kind: 'offline' });
    if (!isRejected) this.#schedule(RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)] ?? PAUSE_MS);
  }

  // `since` is the last common ancestor of this board and the service's.
  #mergeFrom(remote: Known, since: Board): void {
    const mine = this.#deps.board();
    const { board, conflicts } = mergeBoards(since, mine, remote.board);
    this.#base = { ...remote, board: shareItems(board, remote.board) };
    if (conflicts.length > 0 || !isEqual(board, mine)) this.#deps.mergeRemote(board, conflicts);
  }
}
