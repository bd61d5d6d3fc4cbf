// Stores drafts in IndexedDB: changes that the service may not have yet. A draft is a snapshot of the board and the
// steps after it. A step is small, so it is stored at once; a snapshot is written when the page is idle. A browser aborts
// the transactions of a page that ends, so steps that are not confirmed by then go to localStorage, which writes at once.
import { apply, type Board } from './board.ts';
import { withTheirs } from './conflicts.ts';
import { type Edit, type History, NO_HISTORY, perform, redo, type Step, undo } from './history.ts';
import type { Conflict } from './merge.ts';
import { rebase } from './rebase.ts';
import type { Remote } from './saver.ts';

export interface Draft {
  readonly workflowId: string;
  /** The owner. Other accounts in the same browser cannot read the draft. */
  readonly userId: string;
  readonly board: Board;
  readonly history: History;
  /** Values that the user has not chosen yet. */
  readonly conflicts?: readonly Conflict[];
  /** The state of the service that the changes are based on. */
  readonly base: Remote;
  /**
   * Boards that were sent to the service and not confirmed when the snapshot was taken. A value that the service has
   * from one of them is no change of another person.
   */
  readonly sent?: readonly Board[];
  readonly atMs: number;
  /** The page that wrote the snapshot, and its last step in it. */
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

/** `sent`: the board went to the service as it was then, without my values of these conflicts. `saved`: it is there. */
export type DraftStep =
  | Step
  | { readonly kind: 'sent'; readonly conflicts: readonly Conflict[] }
  | { readonly kind: 'saved'; readonly etag: string };

export type StepKey = Pick<StepRow, 'workflowId' | 'seq'>;

export interface Drafts {
  /** Returns the newest snapshot with all later steps applied. Steps without a snapshot are applied to `remote`. */
  find(workflowId: string, remote: Promise<Remote>): Promise<Draft | undefined>;
  /**
   * Stores a snapshot and removes the steps that it contains. Throws a QuotaExceededError if the browser is out of
   * storage.
   */
  save(draft: Omit<Draft, 'userId' | 'writer'>): Promise<void>;
  /** Stores a step. */
  append(key: StepKey, step: DraftStep): Promise<void>;
  /** Called when the page ends: stores the steps that are not confirmed yet. */
  leave(): void;
  close(): void;
}

const NAME = 'graphwright';
const STORE = 'drafts';
const STEPS = 'steps';
/** Steps of other pages that are older than this are in every snapshot. */
const MAX_PAGE_MS = 60_000;

/** Throws if the browser provides no storage, as in some private windows. */
export async function openDrafts(userId: string): Promise<Drafts> {
  const db = await open();
  // Several tabs can have the same workflow open.
  const writer = Math.random().toString(36).slice(2);
  const unconfirmed = new Set<StepRow>();
  const left = createLeftSteps(userId);
  const begin = (mode: IDBTransactionMode, stores: readonly string[]): IDBTransaction =>
    db.transaction(stores, mode, { durability: 'relaxed' });
  return {
    find: async (workflowId, remote) => {
      const transaction = begin('readonly', [STORE, STEPS]);
      const drafts = transaction.objectStore(STORE).get([userId, workflowId]) as IDBRequest<
        Draft | undefined
      >;
      const rows = transaction.objectStore(STEPS).getAll(stepsOf([userId, workflowId])) as IDBRequest<
        StepRow[]
      >;
      await settle(transaction);
      const steps = [...rows.result, ...left.find(workflowId)];
      if (drafts.result === undefined && steps.length === 0) return undefined;
      return withSteps(drafts.result ?? emptyDraft({ workflowId, userId }, await remote), steps);
    },
    save: async draft => {
      const transaction = begin('readwrite', [STORE, STEPS]);
      transaction.objectStore(STORE).put({ ...draft, userId, writer });
      const steps = transaction.objectStore(STEPS);
      const own = [userId, draft.workflowId, writer];
      steps.delete(IDBKeyRange.bound(own, [...own, draft.seq ?? 0]));
      // Steps of pages that ended are in the snapshot.
      const rows = steps.getAll(stepsOf([userId, draft.workflowId])) as IDBRequest<StepRow[]>;
      rows.onsuccess = () => {
        for (const row of rows.result)
          if (row.writer !== writer && row.atMs < draft.atMs - MAX_PAGE_MS)
            steps.delete([userId, row.workflowId, row.writer, row.seq]);
      };
      await settle(transaction);
      left.remove(draft.workflowId, draft.atMs);
    },
    append: async ({ workflowId, seq }, step) => {
      const transaction = begin('readwrite', [STEPS]);
      const row: StepRow = { userId, workflowId, writer, seq, atMs: Date.now(), step };
      unconfirmed.add(row);
      transaction.objectStore(STEPS).put(row);
      transaction.commit();
      await settle(transaction);
      unconfirmed.delete(row);
    },
    leave: () => left.keep([...unconfirmed]),
    close: () => db.close(),
  };
}

/** Arrays sort after numbers and strings, so this is the range of all keys that start with `prefix`. */
const stepsOf = (prefix: readonly string[]): IDBKeyRange => IDBKeyRange.bound([...prefix], [...prefix, []]);

const emptyDraft = (key: Pick<Draft, 'workflowId' | 'userId'>, { board, etag }: Remote): Draft => ({
  ...key,
  board,
  base: { board, etag },
  history: NO_HISTORY,
  atMs: 0,
});

// Steps of another tab are changes of the board, but not of this history. Those that are older than the snapshot are in
// it: the tab that wrote it had read them, or the service had them.
function withSteps(draft: Draft, rows: readonly StepRow[]): Draft {
  const later = rows.filter(({ writer, seq, atMs }) =>
    writer === draft.writer ? seq > (draft.seq ?? 0) : atMs > draft.atMs,
  );
  let { board, history, base } = draft;
  const sent = [...(draft.sent ?? [])];
  const once = new Map(later.map(row => [`${row.writer} ${row.seq}`, row])).values().toArray();
  for (const { writer, step } of once.toSorted(
    (one, other) => one.atMs - other.atMs || one.seq - other.seq,
  )) {
    if ('conflicts' in step) sent.push(withTheirs(board, step.conflicts, base.board));
    else if ('etag' in step) base = { board: sent.pop() ?? base.board, etag: step.etag };
    else if (writer !== draft.writer)
      board = apply(board, rebase(board, 'edit' in step ? step.edit.changes : step.changes));
    else if ('edit' in step) ({ board, history } = perform({ board, history }, fitted(board, step.edit)));
    else ({ board, history } = (step.kind === 'undo' ? undo : redo)({ board, history }));
  }
  return { ...draft, board, history, base, sent };
}

const fitted = (board: Board, edit: Edit): Edit => ({ ...edit, changes: rebase(board, edit.changes) });

/** Steps in localStorage: few and for a short time, because it is small. */
function createLeftSteps(userId: string): {
  keep(rows: readonly StepRow[]): void;
  find(workflowId: string): readonly StepRow[];
  /** Removes steps that are older than a snapshot. */
  remove(workflowId: string, atMs: number): void;
} {
  const prefixOf = (workflowId: string): string => `graphwright-steps:${userId}:${workflowId}:`;
  const read = (workflowId: string): readonly (readonly [key: string, row: StepRow])[] => {
    try {
      return Object.keys(localStorage)
        .filter(key => key.startsWith(prefixOf(workflowId)))
        .map(key => [key, JSON.parse(localStorage.getItem(key) ?? '') as StepRow]);
    } catch {
      // Without storage, nothing was kept.
      return [];
    }
  };
  return {
    keep: rows => {
      try {
        for (const row of rows)
          localStorage.setItem(`${prefixOf(row.workflowId)}${row.writer}:${row.seq}`, JSON.stringify(row));
      } catch {
        // The request that is sent when the page ends may still save the step.
      }
    },
    find: workflowId => read(workflowId).map(([, row]) => row),
    remove: (workflowId, atMs) => {
      for (const [key, row] of read(workflowId)) if (row.atMs < atMs) localStorage.removeItem(key);
    },
  };
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) request.result.createObjectStore(STORE, { keyPath: ['userId', 'workflowId'] });
      request.result.createObjectStore(STEPS, { keyPath: ['userId', 'workflowId', 'writer', 'seq'] });
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

/** Resolves when the transaction completes: only then is the data stored. */
function settle(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}
