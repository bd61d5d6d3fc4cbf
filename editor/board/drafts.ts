// Stores drafts in IndexedDB: changes that the service may not have yet. A draft consists of a snapshot of the board and
// the steps after the snapshot. A step is small and stored immediately. A snapshot is written when the page is idle. A
// browser aborts the transactions of a page that ends, so unconfirmed steps go to localStorage, which writes synchronously.
import { apply, type Board } from './board.ts';
import { applyTheirs } from './conflicts.ts';
import { type Edit, type History, type HistoryStep, NO_HISTORY, perform, redo, undo } from './history.ts';
import { type Conflict, isEqual } from './merge.ts';
import { rebase } from './rebase.ts';
import type { RemoteBoard } from './saver.ts';

export interface Draft {
  readonly workflowId: string;
  /** The owner. Other accounts in the same browser cannot read the draft. */
  readonly userId: string;
  readonly board: Board;
  readonly history: History;
  /** The conflicts that the user has not resolved. */
  readonly conflicts?: readonly Conflict[];
  /** The state of the service that the changes are based on. */
  readonly base: RemoteBoard;
  /**
   * Boards that were sent to the service and not confirmed when the snapshot was taken. If the service returns a value of
   * such a board, nobody else has changed the value.
   */
  readonly sent?: readonly Board[];
  readonly atMs: number;
  /** The page that wrote the snapshot, and the number of its last step in the snapshot. */
  readonly writer?: string;
  readonly seq?: number;
}

interface StepRow {
  readonly userId: string;
  readonly workflowId: string;
  readonly writer: string;
  readonly seq: number;
  readonly atMs: number;
  readonly step: DraftStep;
}

/**
 * `sent`: the current board was sent to the service, with the other person's values for these conflicts. `saved`: the
 * service stored the board that was sent last.
 */
export type DraftStep =
  | HistoryStep
  | { readonly kind: 'sent'; readonly conflicts: readonly Conflict[] }
  | { readonly kind: 'saved'; readonly etag: string };

export type StepKey = Pick<StepRow, 'workflowId' | 'seq'>;

export interface Drafts {
  /** Returns the newest snapshot with all later steps applied. Steps without a snapshot are applied to `remote`. */
  find(workflowId: string, remote: Promise<RemoteBoard>): Promise<Draft | undefined>;
  /**
   * Stores a snapshot and removes the steps that it contains. Throws a QuotaExceededError if the browser is out of
   * storage.
   */
  save(draft: Omit<Draft, 'userId' | 'writer'>): Promise<void>;
  /** Stores a step. */
  append(key: StepKey, step: DraftStep): Promise<void>;
  /** Stores the steps that IndexedDB has not confirmed. Called when the page ends. */
  storeAtExit(): void;
  close(): void;
}

const DATABASE_NAME = 'graphwright';
const DRAFT_STORE = 'drafts';
const STEP_STORE = 'steps';
/** A snapshot contains the steps that other tabs made at least this long before the snapshot. */
const MAX_STEP_AGE_MS = 60_000;

/** Throws if the browser provides no storage, as in some private windows. */
export async function openDrafts(userId: string): Promise<Drafts> {
  const db = await openDatabase();
  // Several tabs can have the same workflow open.
  const writer = Math.random().toString(36).slice(2);
  const unconfirmed = new Set<StepRow>();
  // Steps of other tabs that this tab's snapshots contain, because `find` returned them.
  const adopted = new Set<string>();
  const exitSteps = createExitStepStore(userId);
  const beginTransaction = (mode: IDBTransactionMode, stores: readonly string[]): IDBTransaction =>
    db.transaction(stores, mode, { durability: 'relaxed' });
  return {
    find: async (workflowId, remote) => {
      const transaction = beginTransaction('readonly', [DRAFT_STORE, STEP_STORE]);
      const draftRequest = transaction.objectStore(DRAFT_STORE).get([userId, workflowId]) as IDBRequest<
        Draft | undefined
      >;
      const rowsRequest = transaction
        .objectStore(STEP_STORE)
        .getAll(getStepRange([userId, workflowId])) as IDBRequest<StepRow[]>;
      await waitForCompletion(transaction);
      const steps = [...rowsRequest.result, ...exitSteps.find(workflowId)];
      for (const row of steps) adopted.add(getRowKey(row));
      if (draftRequest.result === undefined && steps.length === 0) return undefined;
      return applySteps(draftRequest.result ?? createEmptyDraft({ workflowId, userId }, await remote), steps);
    },
    save: async draft => {
      const transaction = beginTransaction('readwrite', [DRAFT_STORE, STEP_STORE]);
      transaction.objectStore(DRAFT_STORE).put({ ...draft, userId, writer });
      const steps = transaction.objectStore(STEP_STORE);
      const isContained = (row: StepRow): boolean =>
        row.writer === writer
          ? row.seq <= (draft.seq ?? 0)
          : adopted.has(getRowKey(row)) || row.atMs < draft.atMs - MAX_STEP_AGE_MS;
      const rows = steps.getAll(getStepRange([userId, draft.workflowId])) as IDBRequest<StepRow[]>;
      rows.onsuccess = () => {
        for (const row of rows.result)
          if (isContained(row)) steps.delete([userId, row.workflowId, row.writer, row.seq]);
      };
      await waitForCompletion(transaction);
      exitSteps.remove(draft.workflowId, isContained);
    },
    append: async ({ workflowId, seq }, step) => {
      const transaction = beginTransaction('readwrite', [STEP_STORE]);
      const row: StepRow = { userId, workflowId, writer, seq, atMs: Date.now(), step };
      unconfirmed.add(row);
      transaction.objectStore(STEP_STORE).put(row);
      transaction.commit();
      await waitForCompletion(transaction);
      unconfirmed.delete(row);
    },
    storeAtExit: () => exitSteps.store([...unconfirmed]),
    close: () => db.close(),
  };
}

const getRowKey = ({ writer, seq }: StepRow): string => `${writer} ${seq}`;

/** Returns the range of all keys that start with `prefix`. In keys, arrays sort after numbers and strings. */
const getStepRange = (prefix: readonly string[]): IDBKeyRange =>
  IDBKeyRange.bound([...prefix], [...prefix, []]);

const createEmptyDraft = (
  key: Pick<Draft, 'workflowId' | 'userId'>,
  { board, etag }: RemoteBoard,
): Draft => ({
  ...key,
  board,
  base: { board, etag },
  history: NO_HISTORY,
  atMs: 0,
});

/**
 * Applies the steps that the snapshot does not contain. Steps of another tab change the board, but are not part of this
 * tab's history. A saved board has the other person's values of open conflicts. The `sent` step before the save lists
 * these conflicts.
 */
function applySteps(draft: Draft, rows: readonly StepRow[]): Draft {
  const uniqueRows = new Map(rows.map(row => [getRowKey(row), row])).values().toArray();
  const isOlder = ({ writer, atMs }: StepRow): boolean => writer !== draft.writer && atMs <= draft.atMs;
  const older = findUnsaved(uniqueRows.filter(isOlder));
  const newer = uniqueRows.filter(
    row => !isOlder(row) && (row.writer !== draft.writer || row.seq > (draft.seq ?? 0)),
  );
  let { board, history, base, conflicts = [] } = draft;
  const sentBoards = [...(draft.sent ?? [])];
  for (const row of [...older, ...newer].toSorted((a, b) => a.atMs - b.atMs || a.seq - b.seq)) {
    const { writer, step } = row;
    if ('conflicts' in step) {
      sentBoards.push(applyTheirs(board, step.conflicts, base.board));
      if (writer === draft.writer) conflicts = step.conflicts;
      else if (!isOlder(row)) conflicts = addConflicts(conflicts, step.conflicts);
    } else if ('etag' in step) base = { board: sentBoards.pop() ?? base.board, etag: step.etag };
    else if (writer !== draft.writer)
      board = apply(
        board,
        rebase(board, 'edit' in step ? step.edit.changes : step.changes, isOlder(row) ? 'board' : 'changes'),
      );
    else if ('edit' in step) ({ board, history } = perform({ board, history }, rebaseEdit(board, step.edit)));
    else ({ board, history } = (step.kind === 'undo' ? undo : redo)({ board, history }));
  }
  return { ...draft, board, history, base, conflicts, sent: sentBoards };
}

/**
 * Returns the steps that other tabs have not saved. Saved steps are in the snapshot or in the service's board. The
 * snapshot may also contain unsaved steps that a tab sent as it closed.
 */
function findUnsaved(rows: readonly StepRow[]): readonly StepRow[] {
  return rows.filter(row => {
    const writerRows = rows.filter(({ writer }) => writer === row.writer);
    const savedSeq = Math.max(0, ...writerRows.filter(({ step }) => 'etag' in step).map(({ seq }) => seq));
    const sentSeqs = writerRows
      .filter(({ seq, step }) => 'conflicts' in step && seq < savedSeq)
      .map(row => row.seq);
    return row.seq > Math.max(0, ...sentSeqs) && !('etag' in row.step);
  });
}

const addConflicts = (conflicts: readonly Conflict[], added: readonly Conflict[]): readonly Conflict[] => [
  ...conflicts,
  ...added.filter(({ path }) => !conflicts.some(conflict => isEqual(conflict.path, path))),
];

const rebaseEdit = (board: Board, edit: Edit): Edit => ({ ...edit, changes: rebase(board, edit.changes) });

/** Stores unconfirmed steps in localStorage until the next snapshot. localStorage is small, but there are few steps. */
function createExitStepStore(userId: string): {
  store(rows: readonly StepRow[]): void;
  find(workflowId: string): readonly StepRow[];
  /** Removes the steps that a snapshot contains. */
  remove(workflowId: string, isContained: (row: StepRow) => boolean): void;
} {
  const getPrefix = (workflowId: string): string => `graphwright-steps:${userId}:${workflowId}:`;
  const read = (workflowId: string): readonly (readonly [key: string, row: StepRow])[] => {
    try {
      return Object.keys(localStorage)
        .filter(key => key.startsWith(getPrefix(workflowId)))
        .map(key => [key, JSON.parse(localStorage.getItem(key) ?? '') as StepRow]);
    } catch {
      // Without storage, there are no steps.
      return [];
    }
  };
  return {
    store: rows => {
      try {
        for (const row of rows)
          localStorage.setItem(`${getPrefix(row.workflowId)}${row.writer}:${row.seq}`, JSON.stringify(row));
      } catch {
        // The request that is sent when the page ends may still save the step.
      }
    },
    find: workflowId => read(workflowId).map(([, row]) => row),
    remove: (workflowId, isContained) => {
      for (const [key, row] of read(workflowId)) if (isContained(row)) localStorage.removeItem(key);
    },
  };
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE_NAME, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1)
        request.result.createObjectStore(DRAFT_STORE, { keyPath: ['userId', 'workflowId'] });
      request.result.createObjectStore(STEP_STORE, { keyPath: ['userId', 'workflowId', 'writer', 'seq'] });
    };
    request.onsuccess = () => {
      // A newer release in another tab may change the stores.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () =>
      reject(new Error('Another tab has an older version of the draft database open.'));
  });
}

/** Resolves when the transaction is complete, because the data is stored only then. */
function waitForCompletion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}
