// Stores one draft per workflow in IndexedDB: changes that the service may not have saved yet.
import type { Board } from './board.ts';
import type { History } from './history.ts';
import type { Remote } from './saver.ts';

export interface Draft {
  readonly workflowId: string;
  /** The owner. Other accounts in the same browser cannot read the draft. */
  readonly userId: string;
  readonly board: Board;
  readonly history: History;
  /** The saved workflow that the changes are based on. */
  readonly base: Remote;
  readonly atMs: number;
}

export interface Drafts {
  find(workflowId: string): Promise<Draft | undefined>;
  /** Throws a QuotaExceededError if the browser is out of storage. */
  save(draft: Omit<Draft, 'userId'>): Promise<void>;
  close(): void;
}

const NAME = 'graphwright';
const STORE = 'drafts';

/** Throws if the browser provides no storage, as in some private windows. */
export async function openDrafts(userId: string): Promise<Drafts> {
  const db = await openDatabase();
  const act = <T>(mode: IDBTransactionMode, request: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> =>
    settle(db.transaction(STORE, mode, { durability: 'relaxed' }).objectStore(STORE), request);
  const toKey = (workflowId: string): IDBValidKey => [userId, workflowId];
  return {
    find: workflowId =>
      act('readonly', store => store.get(toKey(workflowId)) as IDBRequest<Draft | undefined>),
    save: async draft => {
      await act('readwrite', store => store.put({ ...draft, userId }));
    },
    close: () => db.close(),
  };
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(STORE, { keyPath: ['userId', 'workflowId'] });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () =>
      reject(new Error('Another tab has an older version of the draft database open.'));
  });
}

/** Resolves when the transaction completes, not when the request does: only then is the data stored. */
function settle<T>(store: IDBObjectStore, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = act(store);
    store.transaction.oncomplete = () => resolve(request.result);
    store.transaction.onabort = () => reject(store.transaction.error ?? request.error);
    store.transaction.onerror = () => reject(store.transaction.error ?? request.error);
  });
}
