// Opens a board: its state, saving, local draft, and changes of others.
import type { Catalog } from '../../src/graph/catalog.ts';
import { type Draft, type Drafts, openDrafts } from './drafts.ts';
import { isSame, mergeBoards } from './merge.ts';
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
  readonly others: ServiceEvents['others'];
  /** Calls back when the service is reachable again after an outage. Returns an unsubscribe function. */
  onReconnect(listener: () => void): () => void;
  close(): void;
}

interface Start {
  readonly id: string;
  readonly userId: string;
  readonly catalog: Promise<Catalog>;
  /** Called if the browser cannot store drafts. */
  readonly onNoDraft: () => void;
}

const CHANGES = 'graphwright-boards';
const DRAFT_PAUSE_MS = 150;

/** Reads the workflow and its local draft. */
export async function openSession(start: Start, signal: AbortSignal): Promise<BoardSession> {
  const [remote, { drafts, draft }, catalog] = await Promise.all([
    readRemote(start.id, signal),
    readDraft(start),
    start.catalog,
  ]);
  const merged = draft && mergeBoards(draft.base.board, draft.board, remote.board);
  const isLeft = merged !== undefined && !isSame(merged.board, remote.board);
  const store = createBoardStore({
    board: isLeft ? merged.board : remote.board,
    // The history of a draft is based on the board of the draft, so its changes are rebased by id.
    ...(draft === undefined ? {} : { history: draft.history }),
  });
  if (isLeft && merged.conflicts.length > 0) store.actions.mergeRemote(merged.board, merged.conflicts);
  return connect(start, { remote, store, drafts, catalog });
}

async function readDraft(
  start: Start,
): Promise<{ readonly drafts: Drafts | undefined; readonly draft: Draft | undefined }> {
  const drafts = await findDrafts(start);
  return { drafts, draft: await drafts?.find(start.id).catch(() => undefined) };
}

async function findDrafts({ userId, onNoDraft }: Start): Promise<Drafts | undefined> {
  try {
    return await openDrafts(userId);
  } catch {
    onNoDraft();
    return undefined;
  }
}

interface Parts {
  readonly remote: RemoteWorkflow;
  readonly store: BoardStore;
  readonly drafts: Drafts | undefined;
  readonly catalog: Catalog;
}

function connect({ id, onNoDraft }: Start, { remote, store, drafts, catalog }: Parts): BoardSession {
  const channel = new BroadcastChannel(CHANGES);
  const saver = new Saver(remote, {
    read: signal => readRemote(id, signal),
    write: async (board, etag, how, signal) => {
      const written = await writeRemote(id, { board, etag, how }, signal);
      channel.postMessage({ id, etag: written.etag });
      return written;
    },
    board: () => store.getState().board,
    mergeRemote: store.actions.mergeRemote,
    report: store.actions.report,
  });
  const worker = new BoardWorker(catalog.entries, startWorker);
  const draftWriter = createDraftWriter({ id, drafts, store, saver, onNoDraft });
  const unsubscribe = store.subscribe((now, before) => {
    if (now.board === before.board) return;
    saver.notify();
    draftWriter.plan();
  });
  const refresh = (): void => void saver.refresh().catch(() => undefined);
  channel.onmessage = ({ data }: MessageEvent<{ id: string; etag: string }>) => {
    if (data.id === id && data.etag !== saver.base.etag) refresh();
  };
  const service = followService(id, saver, refresh);
  const flushDraft = (): void => draftWriter.keep();
  window.addEventListener('pagehide', flushDraft);
  if (saver.isDirty) saver.notify();
  return {
    id,
    catalog,
    store,
    saver,
    worker,
    others: service.others,
    onReconnect: service.onReconnect,
    close: () => {
      unsubscribe();
      window.removeEventListener('pagehide', flushDraft);
      draftWriter.keep();
      saver.close();
      service.close();
      channel.close();
      worker.close();
    },
  };
}

interface DraftWriterDeps extends Pick<Start, 'id' | 'onNoDraft'> {
  readonly drafts: Drafts | undefined;
  readonly store: BoardStore;
  readonly saver: Saver;
}

/**
 * Writes the draft shortly after each change. The draft and its history stay after saving, so that undo survives a
 * reload.
 */
function createDraftWriter({ id, drafts, store, saver, onNoDraft }: DraftWriterDeps): {
  plan(): void;
  keep(): void;
} {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReported = false;
  const keep = (): void => {
    if (timer === undefined || drafts === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const { board, history } = store.getState();
    const base = { board: saver.base.board, etag: saver.base.etag };
    drafts.keep({ workflowId: id, board, history, base, atMs: Date.now() }).catch(() => {
      if (!isReported) onNoDraft();
      isReported = true;
    });
  };
  return {
    keep,
    plan: () => {
      timer ??= setTimeout(() => whenIdle(keep), DRAFT_PAUSE_MS);
    },
  };
}

const IDLE_TIMEOUT_MS = 350;

/** Copying a large board takes milliseconds, so it waits for an idle moment. */
function whenIdle(act: () => void): void {
  // Safari does not have requestIdleCallback.
  if (typeof requestIdleCallback === 'undefined') act();
  else requestIdleCallback(act, { timeout: IDLE_TIMEOUT_MS });
}
