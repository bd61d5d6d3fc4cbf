// Opens boards for tests of saving, against an in-memory service that refuses stale writes like the real one.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Board, findNode } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { setConfig } from '../../../editor/board/edits.ts';
import { type RemoteBoard, type SaveKind, Saver, type SaveState } from '../../../editor/board/saver.ts';
import { createBoardStore } from '../../../editor/board/store.ts';
import { ApiError } from '../../../sdk/src/errors.ts';
import type { GraphNode } from '../../../src/graph/types.ts';

export const createNode = (id: string, config = {}): GraphNode => ({
  id,
  type: 'standard',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'input', nodeType: 'input:text', config },
});
export const BOARD: Board = {
  fields: { name: 'A board' },
  nodes: [createNode('a'), createNode('b')],
  edges: [],
};
export const createRefusal = (status: number, code: string): ApiError =>
  new ApiError({ status, headers: new Headers(), body: { error: `Refused: ${code}.`, code } });

/** Acts as the service for reads and writes of one workflow. */
export function createRemote() {
  const remote = {
    version: 1,
    board: BOARD,
    writes: [] as SaveKind[],
    failure: undefined as Error | undefined,
    state: (): RemoteBoard => structuredClone({ board: remote.board, etag: `"${remote.version}"` }),
    set: (board: Board) => {
      remote.board = board;
      remote.version++;
    },
    write: async (board: Board, etag: string, kind: SaveKind): Promise<RemoteBoard> => {
      await nextTurn();
      if (remote.failure !== undefined) throw remote.failure;
      if (etag !== `"${remote.version}"`) throw createRefusal(409, 'stale_write');
      remote.writes.push(kind);
      remote.set(structuredClone(board));
      return remote.state();
    },
  };
  return remote;
}

export type Remote = ReturnType<typeof createRemote>;

/** Opens the board of the service like a page of the editor. */
export function openBoard(remote: Remote) {
  const store = createBoardStore({ board: remote.state().board });
  const states: SaveState['kind'][] = [];
  const exitWrites: Board[] = [];
  const saver = new Saver(remote.state(), {
    read: async () => remote.state(),
    write: remote.write,
    writeAtExit: board => exitWrites.push(board),
    getConflicts: () => store.getState().conflicts,
    getBoard: () => store.getState().board,
    mergeRemote: store.actions.mergeRemote,
    setSaveState: state => {
      store.actions.setSaveState(state);
      states.push(state.kind);
    },
  });
  const edit = (id: string, key: string, value: string): void => {
    store.actions.perform(
      'Change',
      setConfig(store.getState().board, createCatalog([]), id, { [key]: value }),
    );
    saver.scheduleAutosave();
  };
  return {
    store,
    saver,
    states,
    exitWrites,
    edit,
    config: (id: string) => findNode(store.getState().board, id)?.data.config,
  };
}

/** Waits until pending reads and writes have finished. */
export async function waitTurns(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await nextTurn();
}
