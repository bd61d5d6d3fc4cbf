// Opens a board: connects its state with saving, the local draft, and changes of other users.
import workerFile from 'worker:worker/worker.ts';
import type { Catalog } from '../../src/graph/catalog.ts';
import type { Board } from './board.ts';
import { applyTheirs, findOpenConflicts, getValueAt } from './conflicts.ts';
import { type Draft, type DraftStep, type Drafts, openDrafts } from './drafts.ts';
import { type Conflict, isEqual, mergeBoards } from './merge.ts';
import { type RemoteWorkflow, readRemote, readRemoteVersion, writeAtExit, writeRemote } from './remote.ts';
import { type RemoteBoard, Saver } from './saver.ts';
import { type ServiceEvents, subscribeToService } from './service-events.ts';
import { type BoardState, type BoardStore, createBoardStore } from './store.ts';
import { WorkerClient } from './worker/worker-client.ts';

export interface OpenBoard {
  readonly id: string;
  /** The version that is open for viewing. Undefined for the current version. */
  readonly version: number | undefined;
  /** Whether the board rejects edits, because the user may not edit the workflow or views an earlier version. */
  readonly isReadOnly: boolean;
  readonly catalog: Catalog;
  readonly store: BoardStore;
  readonly saver: Saver<RemoteWorkflow>;
  readonly worker: WorkerClient;
  /** Everyone who has the workflow open, including this user. */
  readonly presence: ServiceEvents['presence'];
  /** Calls back when the service is reachable again after an outage. Returns an unsubscribe function. */
  onReconnect(listener: () => void): () => void;
  /** Saves even if the workflow's app can no longer run, now and in all later saves of this page. */
  saveBreakingApp(): Promise<void>;
  close(): void;
}

interface SessionOptions {
  readonly id: string;
  readonly userId: string;
  /** The version to open for viewing. Default: the current version. */
  readonly version?: number | undefined;
  readonly catalog: Promise<Catalog>;
  /** Called if the browser cannot store drafts. */
  readonly onNoDraft: () => void;
  /** Called instead of each edit of a read-only board. */
  readonly onRejectedEdit: () => void;
}

const CHANNEL_NAME = 'graphwright-boards';

/** Reads the workflow and its local draft. */
export async function openBoard(options: SessionOptions, signal: AbortSignal): Promise<OpenBoard> {
  const { id, version } = options;
  const remoteRequest =
    version === undefined ? readRemote(id, signal) : readRemoteVersion(id, version, signal);
  const [remote, { drafts, draft }, catalog] = await Promise.all([
    remoteRequest,
    version === undefined ? readDraft(options, remoteRequest) : NO_DRAFT,
    options.catalog,
  ]);
  const restored = draft === undefined ? { board: remote.board } : mergeDraft(draft, remote.board);
  // Edits that were made before the user lost the right to edit stay on the board, so that they can be exported.
  const isReadOnly = !remote.info.canEdit && restored.board === remote.board;
  const store = createBoardStore(restored, isReadOnly ? options.onRejectedEdit : undefined);
  return createSession(options, { remote, store, drafts, catalog, isReadOnly });
}

const NO_DRAFT = { drafts: undefined, draft: undefined };

/** Merges a draft with the service's board. The history finds items by id, so it also applies to the merged board. */
function mergeDraft(draft: Draft, remote: Board): Pick<BoardState, 'board' | 'history' | 'conflicts'> {
  const merged = mergeBoards(draft.base.board, draft.board, remote);
  const isOwnSave = ({ path, theirs }: Conflict): boolean =>
    (draft.sent ?? []).some(sent => isEqual(getValueAt(sent, path), theirs));
  const { board } = merged;
  const detected = merged.conflicts.filter(conflict => !isOwnSave(conflict));
  const conflicts = findOpenConflicts(draft.conflicts ?? [], detected, board, remote);
  return { board: isEqual(board, remote) ? remote : board, history: draft.history, conflicts };
}

async function readDraft(
  options: SessionOptions,
  remote: Promise<RemoteWorkflow>,
): Promise<{ readonly drafts: Drafts | undefined; readonly draft: Draft | undefined }> {
  const drafts = await openUserDrafts(options);
  return { drafts, draft: await drafts?.find(options.id, remote).catch(() => undefined) };
}

async function openUserDrafts({ userId, onNoDraft }: SessionOptions): Promise<Drafts | undefined> {
  try {
    return await openDrafts(userId);
  } catch {
    onNoDraft();
    return undefined;
  }
}

interface SessionParts {
  readonly remote: RemoteWorkflow;
  readonly store: BoardStore;
  readonly drafts: Drafts | undefined;
  readonly catalog: Catalog;
  readonly isReadOnly: boolean;
}

function createSession(
  { id, version, onNoDraft }: SessionOptions,
  { remote, store, drafts, catalog, isReadOnly }: SessionParts,
): OpenBoard {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  let mayBreakApp = false;
  const saver: Saver<RemoteWorkflow> = new Saver(remote, {
    read: signal => readRemote(id, signal),
    write: async (board, etag, kind, signal) => {
      draftWriter.append({ kind: 'sent', conflicts: store.getState().conflicts });
      const written = await writeRemote(id, { board, etag, kind, mayBreakApp }, signal);
      channel.postMessage({ id, etag: written.etag });
      draftWriter.append({ kind: 'saved', etag: written.etag });
      return written;
    },
    isReadOnly,
    writeAtExit: (board, etag) => writeAtExit(id, { board, etag, mayBreakApp }),
    getBoard: () => store.getState().board,
    getConflicts: () => store.getState().conflicts,
    mergeRemote: store.actions.mergeRemote,
    setSaveState: store.actions.setSaveState,
  });
  const worker = new WorkerClient(catalog.entries, startWorker);
  const draftWriter = createDraftWriter({ id, drafts, store, saver, onNoDraft });
  const unsubscribe = store.subscribe((now, before) => {
    if (now.board === before.board && now.conflicts === before.conflicts) return;
    if (now.lastStep !== undefined && now.lastStep !== before.lastStep) draftWriter.append(now.lastStep);
    else draftWriter.schedule();
    saver.scheduleAutosave();
  });
  const refresh = (): void => {
    // An earlier version never changes.
    if (version === undefined) saver.pullAndMerge().catch(() => undefined);
  };
  channel.onmessage = ({ data }: MessageEvent<{ id: string; etag: string }>) => {
    if (data.id === id && data.etag !== saver.base.etag) refresh();
  };
  const serviceEvents = subscribeToService(id, saver, refresh);
  const saveBeforeUnload = (): void => {
    drafts?.storeAtExit();
    saver.saveAtExit();
  };
  // The browser may restore the page from its back/forward cache, in its old state.
  const handlePageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) refresh();
  };
  window.addEventListener('pagehide', saveBeforeUnload);
  window.addEventListener('pageshow', handlePageShow);
  saver.scheduleAutosave();
  return {
    id,
    version,
    isReadOnly,
    catalog,
    store,
    saver,
    worker,
    presence: serviceEvents.presence,
    onReconnect: serviceEvents.onReconnect,
    saveBreakingApp: () => {
      mayBreakApp = true;
      return saver.flush();
    },
    close: () => {
      unsubscribe();
      window.removeEventListener('pagehide', saveBeforeUnload);
      window.removeEventListener('pageshow', handlePageShow);
      draftWriter.flush();
      saver.saveAtExit();
      saver.close();
      serviceEvents.close();
      channel.close();
      worker.close();
    },
  };
}

interface DraftWriterDeps extends Pick<SessionOptions, 'id' | 'onNoDraft'> {
  readonly drafts: Drafts | undefined;
  readonly store: BoardStore;
  readonly saver: Saver;
}

interface DraftWriter {
  /** Stores the user's step immediately. */
  append(step: DraftStep): void;
  /** Schedules a snapshot. */
  schedule(): void;
  /** Stores a scheduled snapshot immediately. */
  flush(): void;
}

/** Creates the writer of the draft. A save does not delete the draft, so that undo works after a reload. */
function createDraftWriter({ id, drafts, store, saver, onNoDraft }: DraftWriterDeps): DraftWriter {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReported = false;
  let seq = 0;
  // The board of the last save. It is unconfirmed until the service returns another base.
  let lastSent: { readonly board: Board; readonly base: RemoteBoard } | undefined;
  const reportOnce = (): void => {
    if (!isReported) onNoDraft();
    isReported = true;
  };
  const writeSnapshot = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (drafts === undefined) return;
    const { board, history, conflicts } = store.getState();
    const base = { board: saver.base.board, etag: saver.base.etag };
    const unconfirmed = lastSent?.base === saver.base ? [lastSent.board] : [];
    const draft = {
      workflowId: id,
      board,
      history,
      conflicts,
      base,
      sent: unconfirmed,
      atMs: Date.now(),
      seq,
    };
    drafts.save(draft).catch(reportOnce);
  };
  const flush = (): void => {
    if (timer !== undefined) writeSnapshot();
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => whenIdle(flush), SNAPSHOT_PAUSE_MS);
  };
  return {
    append: step => {
      if ('conflicts' in step) {
        const board = applyTheirs(store.getState().board, step.conflicts, saver.base.board);
        lastSent = { board, base: saver.base };
      }
      drafts?.append({ workflowId: id, seq: ++seq }, step).catch(reportOnce);
      // Steps are applied to a snapshot, so the first step needs one.
      if (seq === 1) writeSnapshot();
      else schedule();
    },
    schedule,
    flush,
  };
}

const SNAPSHOT_PAUSE_MS = 1000;
const IDLE_TIMEOUT_MS = 350;

/** Runs the callback when the browser is idle, because copying a large board takes milliseconds. */
function whenIdle(callback: () => void): void {
  // Safari does not have requestIdleCallback.
  if (typeof requestIdleCallback === 'undefined') callback();
  else requestIdleCallback(callback, { timeout: IDLE_TIMEOUT_MS });
}

export const startWorker = (): Worker => new Worker(new URL(workerFile, import.meta.url), { type: 'module' });
