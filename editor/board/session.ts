// Opens a board: connects its state with saving, the local draft, and changes by others.
import type { Catalog } from '../../src/graph/catalog.ts';
import { type Draft, type Drafts, openDrafts } from './drafts.ts';
import { isEqual, mergeBoards } from './merge.ts';
import { type RemoteWorkflow, readRemote, writeRemote } from './remote.ts';
import { Saver } from './saver.ts';
import { followService, type ServiceEvents } from './service-events.ts';
import { type BoardStore, createBoardStore } from './store.ts';
import { BoardWorker } from './worker/board-worker.ts';
import { startWorker } from './worker/start-worker.ts';

export interface BoardSession {
  readonly id: string;
  readonly catalog: Catalog;
  readonly store: BoardStore;
  readonly saver: Saver<RemoteWorkflow>;
  readonly worker: BoardWorker;
  /** Everyone who has the workflow open, including this user. */
  readonly presence: ServiceEvents['presence'];
  /** Calls back when the service is reachable again after an outage. Returns an unsubscribe function. */
  onReconnect(listener: () => void): () => void;
  close(): void;
}

interface SessionOptions {
  readonly id: string;
  readonly userId: string;
  readonly catalog: Promise<Catalog>;
  /** Called if the browser cannot store drafts. */
  readonly onNoDraft: () => void;
}

const CHANNEL_NAME = 'graphwright-boards';
const DRAFT_PAUSE_MS = 150;

/** Reads the workflow and its local draft. */
export async function openSession(options: SessionOptions, signal: AbortSignal): Promise<BoardSession> {
  const [remote, { drafts, draft }, catalog] = await Promise.all([
    readRemote(options.id, signal),
    readDraft(options),
    options.catalog,
  ]);
  const merged = draft && mergeBoards(draft.base.board, draft.board, remote.board);
  const hasUnsavedDraft = merged !== undefined && !isEqual(merged.board, remote.board);
  const store = createBoardStore({
    board: hasUnsavedDraft ? merged.board : remote.board,
    // Undo rebases the draft's history onto the merged board.
    ...(draft === undefined ? {} : { history: draft.history }),
  });
  if (hasUnsavedDraft && merged.conflicts.length > 0)
    store.actions.mergeRemote(merged.board, merged.conflicts);
  return connect(options, { remote, store, drafts, catalog });
}

async function readDraft(
  options: SessionOptions,
): Promise<{ readonly drafts: Drafts | undefined; readonly draft: Draft | undefined }> {
  const drafts = await findDrafts(options);
  return { drafts, draft: await drafts?.find(options.id).catch(() => undefined) };
}

async function findDrafts({ userId, onNoDraft }: SessionOptions): Promise<Drafts | undefined> {
  try {
    return await openDrafts(userId);
  } catch {
    onNoDraft();
    return undefined;
  }
}

interface ConnectParts {
  readonly remote: RemoteWorkflow;
  readonly store: BoardStore;
  readonly drafts: Drafts | undefined;
  readonly catalog: Catalog;
}

function connect(
  { id, onNoDraft }: SessionOptions,
  { remote, store, drafts, catalog }: ConnectParts,
): BoardSession {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  const saver = new Saver(remote, {
    read: signal => readRemote(id, signal),
    write: async (board, etag, kind, signal) => {
      const written = await writeRemote(id, { board, etag, how: kind }, signal);
      channel.postMessage({ id, etag: written.etag });
      return written;
    },
    board: () => store.getState().board,
    mergeRemote: store.actions.mergeRemote,
    setSaveState: store.actions.setSaveState,
  });
  const worker = new BoardWorker(catalog.entries, startWorker);
  const draftWriter = createDraftWriter({ id, drafts, store, saver, onNoDraft });
  const unsubscribe = store.subscribe((now, before) => {
    if (now.board === before.board) return;
    saver.notify();
    draftWriter.schedule();
  });
  const refresh = (): void => void saver.refresh().catch(() => undefined);
  channel.onmessage = ({ data }: MessageEvent<{ id: string; etag: string }>) => {
    if (data.id === id && data.etag !== saver.base.etag) refresh();
  };
  const service = followService(id, saver, refresh);
  const flushDraft = (): void => draftWriter.write();
  window.addEventListener('pagehide', flushDraft);
  if (saver.isDirty) saver.notify();
  return {
    id,
    catalog,
    store,
    saver,
    worker,
    presence: service.presence,
    onReconnect: service.onReconnect,
    close: () => {
      unsubscribe();
      window.removeEventListener('pagehide', flushDraft);
      draftWriter.write();
      saver.close();
      service.close();
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

/**
 * Writes the draft shortly after each change. The draft and its history stay after saving, so that undo survives a
 * reload.
 */
function createDraftWriter({ id, drafts, store, saver, onNoDraft }: DraftWriterDeps): {
  schedule(): void;
  write(): void;
} {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReported = false;
  const write = (): void => {
    if (timer === undefined || drafts === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const { board, history } = store.getState();
    const base = { board: saver.base.board, etag: saver.base.etag };
    drafts.save({ workflowId: id, board, history, base, atMs: Date.now() }).catch(() => {
      if (!isReported) onNoDraft();
      isReported = true;
    });
  };
  return {
    write,
    schedule: () => {
      timer ??= setTimeout(() => whenIdle(write), DRAFT_PAUSE_MS);
    },
  };
}

const IDLE_TIMEOUT_MS = 350;

/** Runs `act` when the browser is idle, because copying a large board takes milliseconds. */
function whenIdle(act: () => void): void {
  // Safari does not have requestIdleCallback.
  if (typeof requestIdleCallback === 'undefined') act();
  else requestIdleCallback(act, { timeout: IDLE_TIMEOUT_MS });
}
