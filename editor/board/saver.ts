// Saves a board to the service and merges the changes of other users. One save runs at a time. A stale board is merged
// with the newer version and sent again, so that no save overwrites another. A board that the service refuses stays in
// the draft. So does the user's value of an open conflict: the service keeps the other person's value until the user
// resolves the conflict.
import { ApiError } from '../../sdk/src/errors.ts';
import { messages } from '../flow-messages.ts';
import { UserFacingError } from '../lib/user-facing-error.ts';
import type { Board } from './board.ts';
import { applyTheirs, findOpenConflicts } from './conflicts.ts';
import { withDistinctNames } from './distinct-names.ts';
import { type Conflict, isEqual, mergeBoards, shareItems } from './merge.ts';
import type { ChangeSource } from './store.ts';

/** The board that the service has, with the version of its workflow. */
export interface RemoteBoard {
  readonly board: Board;
  readonly etag: string;
}

export type SaveState =
  | { readonly kind: 'saved' | 'saving' | 'unsaved' | 'offline' | 'empty' }
  | { readonly kind: 'refused'; readonly error: ApiError }
  /** All values except those in conflict are saved. */
  | { readonly kind: 'conflicts'; readonly count: number };

/** Thrown because the service rejects empty workflows. An empty board is stored only in the draft. */
export class EmptyBoardError extends UserFacingError {
  constructor() {
    super(messages.flow.save.empty);
  }
}

/** Thrown because the service does not have the board on screen, so it must not be run or published. */
export class OpenConflictsError extends UserFacingError {
  constructor() {
    super(messages.flow.save.resolveFirst);
  }
}

export type SaveKind = 'autosave' | 'save';

export interface SaverDeps<RemoteState extends RemoteBoard> {
  readonly read: (signal: AbortSignal) => Promise<RemoteState>;
  /** Throws an ApiError with code `stale_write` if the service's board does not match `etag`. */
  readonly write: (board: Board, etag: string, kind: SaveKind, signal: AbortSignal) => Promise<RemoteState>;
  /** Autosaves in a request that continues after the page ends. */
  readonly writeAtExit: (board: Board, etag: string) => void;
  /** Whether the user may only view the board, so that nothing is ever saved. */
  readonly isReadOnly?: boolean;
  readonly getBoard: () => Board;
  /** The open conflicts of the board. */
  readonly getConflicts: () => readonly Conflict[];
  /** Shows a merged board with its open conflicts. */
  readonly mergeRemote: (board: Board, conflicts: readonly Conflict[], origin: ChangeSource) => void;
  readonly setSaveState: (state: SaveState) => void;
}

const AUTOSAVE_DELAY_MS = 700;
/** The longest delay after the first unsaved change, even if the user keeps editing. */
const MAX_WAIT_MS = 1400;
const RETRY_MS = [1000, 2000, 5000, 10_000] as const;
/** After this many consecutive merges, a save fails and is retried later, because other users save faster. */
const MAX_MERGES = 5;

const isStaleWrite = (err: unknown): boolean => err instanceof ApiError && err.code === 'stale_write';

/** `base` is the last known state of the service, on which drafts are based. */
export class Saver<RemoteState extends RemoteBoard = RemoteBoard> {
  readonly #deps: SaverDeps<RemoteState>;
  readonly #controller = new AbortController();
  #base: RemoteState;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Time of the first change that is not being saved. */
  #changedAtMs: number | undefined;
  /** The number of consecutive failures. While it is above 0, a retry is scheduled. */
  #failures = 0;
  #isWriting = false;
  #queue: Promise<void> = Promise.resolve();

  constructor(start: RemoteState, deps: SaverDeps<RemoteState>) {
    this.#base = start;
    this.#deps = deps;
  }

  get base(): RemoteState {
    return this.#base;
  }

  /** Whether the board has unsaved changes. The user's values of open conflicts do not count. */
  get isDirty(): boolean {
    return !isEqual(this.#getBoardToSend(), this.#base.board);
  }

  /** Saves after a pause if there are unsaved changes. Called after each change of the board or of the open conflicts. */
  scheduleAutosave(): void {
    if (!this.isDirty) {
      clearTimeout(this.#timer);
      this.#changedAtMs = undefined;
      this.#failures = 0;
      // A save is in progress. Its response updates the state.
      this.#deps.setSaveState(this.#isWriting ? { kind: 'saving' } : this.#getIdleState());
      return;
    }
    this.#deps.setSaveState({ kind: 'unsaved' });
    if (this.#failures > 0) return;
    this.#changedAtMs ??= Date.now();
    const remainingMs = this.#changedAtMs + MAX_WAIT_MS - Date.now();
    this.#schedule(Math.max(0, Math.min(AUTOSAVE_DELAY_MS, remainingMs)));
  }

  /** Reads the service's board and merges it. Called when another user, tab or program has saved. */
  pullAndMerge(): Promise<void> {
    return this.#enqueue(async () => {
      this.#mergeFrom(await this.#deps.read(this.#controller.signal), this.#base.board, 'others');
      // The service is reachable again.
      this.#failures = 0;
      // The service may already have every change, because `saveAtExit` sent it.
      this.scheduleAutosave();
    });
  }

  /** Resolves when the service has the current board. Throws if the save fails. */
  flush(kind: SaveKind = 'save'): Promise<void> {
    return this.#deps.isReadOnly === true ? Promise.resolve() : this.#enqueue(() => this.#save(kind));
  }

  /**
   * Saves like `flush`, for actions that need the whole board to be saved, such as a run. Throws while conflicts are
   * open.
   */
  async flushOrThrowOnConflict(kind: SaveKind = 'save'): Promise<void> {
    await this.flush(kind);
    if (this.#deps.getConflicts().length > 0) throw new OpenConflictsError();
  }

  /** Sends the unsaved changes without waiting for the response. Called when the page ends. */
  saveAtExit(): void {
    if (this.#deps.isReadOnly === true) return;
    if (this.isDirty && this.#deps.getBoard().nodes.length > 0)
      this.#deps.writeAtExit(withDistinctNames(this.#getBoardToSend(), this.#base.board), this.#base.etag);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#controller.signal.aborted) return;
    // #save reports the failure and retries.
    this.#timer = setTimeout(() => this.flush('autosave').catch(() => undefined), ms);
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(task);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #save(kind: SaveKind): Promise<void> {
    clearTimeout(this.#timer);
    this.#changedAtMs = undefined;
    if (kind === 'autosave' && !this.isDirty) return this.scheduleAutosave();
    if (this.#deps.getBoard().nodes.length === 0) {
      this.#failures = 0;
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
    this.scheduleAutosave();
  }

  async #write(kind: SaveKind): Promise<void> {
    for (let merges = 0; ; merges++) {
      const board = this.#getBoardToSend();
      const sentBoard = withDistinctNames(board, this.#base.board);
      try {
        const saved = await this.#deps.write(sentBoard, this.#base.etag, kind, this.#controller.signal);
        // Names that were changed come back as changes of the service.
        this.#mergeFrom(saved, board, 'own save');
        return;
      } catch (err) {
        if (!isStaleWrite(err) || merges === MAX_MERGES) throw err;
        this.#mergeFrom(await this.#deps.read(this.#controller.signal), this.#base.board, 'others');
      }
    }
  }

  #getBoardToSend(): Board {
    return applyTheirs(this.#deps.getBoard(), this.#deps.getConflicts(), this.#base.board);
  }

  #getIdleState(): SaveState {
    const count = this.#deps.getConflicts().length;
    return count === 0 ? { kind: 'saved' } : { kind: 'conflicts', count };
  }

  #fail(err: unknown): void {
    if (this.#controller.signal.aborted) return;
    const isStale = isStaleWrite(err);
    if (err instanceof ApiError && err.status < 500 && err.status !== 429 && !isStale) {
      this.#failures = 0;
      this.#deps.setSaveState({ kind: 'refused', error: err });
      return;
    }
    this.#deps.setSaveState({ kind: isStale ? 'unsaved' : 'offline' });
    this.#schedule(RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)] ?? AUTOSAVE_DELAY_MS);
  }

  // Merges the service's board. `ancestor` is the last common ancestor of this board and the service's board.
  #mergeFrom(remote: RemoteState, ancestor: Board, origin: ChangeSource): void {
    const [mine, previous] = [this.#deps.getBoard(), this.#deps.getConflicts()];
    const { board, conflicts: detected } = mergeBoards(ancestor, mine, remote.board);
    this.#base = { ...remote, board: shareItems(board, remote.board) };
    const open = findOpenConflicts(previous, detected, board, this.#base.board);
    if (!isEqual(open, previous) || !isEqual(board, mine)) this.#deps.mergeRemote(board, open, origin);
  }
}
