// Tests random edits of two people on one workflow, against an in-memory service that refuses stale writes: nobody
// replaces a value without having seen it, and at the end both people have the board of the service. GESTURES and SEED set
// the number of edits and the seed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Board, findNode } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { applyTheirs } from '../../../editor/board/conflicts.ts';
import { add, computeChanges, move, remove, setConfig } from '../../../editor/board/edits.ts';
import { type RemoteBoard, Saver } from '../../../editor/board/saver.ts';
import { createBoardStore } from '../../../editor/board/store.ts';
import { ApiError } from '../../../sdk/src/errors.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';

const GESTURES = Number(process.env.GESTURES ?? 600);
const SEEDS = process.env.SEED === undefined ? [1, 2, 3] : [Number(process.env.SEED)];
const CATALOG = createCatalog([]);
const KEYS = ['text', 'seed'];

const node = (id: string, config = {}): GraphNode => ({
  id,
  type: 'standard',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'input', nodeType: 'input:text', config },
});
const START: Board = {
  fields: { name: 'A board' },
  nodes: ['a', 'b', 'c', 'd'].map(id => node(id, { text: `first ${id}` })),
  edges: [],
};

// New inputs get their names from their labels, so that two people add inputs of the same name.
const withTextLabel = (item: GraphNode): GraphNode => ({ ...item, data: { ...item.data, label: 'Text' } });

/** Returns all config values by `nodeId key`. */
function valuesOf({ nodes }: Board): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ id, data }) =>
      Object.entries(data.config ?? {}).map(([key, value]) => [`${id} ${key}`, String(value)] as const),
    ),
  );
}

function createPerson(name: string, service: { board: Board; version: number }) {
  const store = createBoardStore({ board: service.board });
  const seenValues = new Set<string>();
  const decidedKeys = new Set<string>();
  const recordSeen = (): void => {
    for (const value of valuesOf(store.getState().board).values()) seenValues.add(value);
  };
  const state = (): RemoteBoard => structuredClone({ board: service.board, etag: String(service.version) });
  const saver = new Saver(state(), {
    read: async () => state(),
    write: async (board, etag) => {
      await Promise.resolve();
      if (etag !== String(service.version))
        throw new ApiError({
          status: 409,
          headers: new Headers(),
          body: { error: 'Stale.', code: 'stale_write' },
        });
      const [before, after] = [valuesOf(service.board), valuesOf(board)];
      for (const [key, value] of before) {
        if (after.get(key) === value) continue;
        const isKnown =
          seenValues.has(value) || decidedKeys.has(key) || decidedKeys.has(key.split(' ')[0] ?? '');
        assert.ok(isKnown, `${name} replaced "${value}" at ${key} without having seen it`);
      }
      // The service refuses an edge without its nodes.
      const ids = new Set(board.nodes.map(({ id }) => id));
      for (const { source, target } of board.edges) assert.ok(ids.has(source) && ids.has(target));
      // The service refuses two inputs with one name.
      const inputNames = board.nodes.flatMap(({ data }) => (data.name === undefined ? [] : [data.name]));
      assert.equal(new Set(inputNames).size, inputNames.length, inputNames.join(' '));
      Object.assign(service, { board: structuredClone(board), version: service.version + 1 });
      return state();
    },
    writeAtExit: () => undefined,
    getBoard: () => store.getState().board,
    getConflicts: () => store.getState().conflicts,
    mergeRemote: store.actions.mergeRemote,
    setSaveState: store.actions.setSaveState,
  });
  const resolveConflict = (mine: boolean): void => {
    const [conflict] = store.getState().conflicts;
    if (conflict === undefined) return;
    const { board } = store.getState();
    // The conflict shows the value of the other user.
    for (const value of valuesOf(saver.base.board).values()) seenValues.add(value);
    const { path } = conflict;
    decidedKeys.add(path.length > 2 ? `${path[1]} ${path.at(-1)}` : (path[1] ?? ''));
    if (!mine) {
      const changes = computeChanges(board, applyTheirs(board, [conflict], saver.base.board));
      store.actions.perform('Use theirs', changes);
    }
    store.actions.resolveConflict(conflict);
  };
  recordSeen();
  return { name, store, saver, recordSeen, resolveConflict };
}

type Person = ReturnType<typeof createPerson>;

function performRandomEdit(
  { name, store, resolveConflict }: Person,
  random: () => number,
  step: number,
): void {
  const { board } = store.getState();
  const pick = (): string => board.nodes[Math.floor(random() * board.nodes.length)]?.id ?? '';
  const [one, other] = [pick(), pick()];
  const edits: readonly (() => void)[] = [
    ...KEYS.map(
      key => () => store.actions.perform('Set', setConfig(board, CATALOG, one, { [key]: `${name} ${step}` })),
    ),
    () => store.actions.perform('Move', move(board, new Map([[one, { x: step, y: 0 }]]))),
    () =>
      store.actions.perform(
        'Add',
        add(board, { nodes: [withTextLabel(node(`${name}${step}`, { text: `${name} new ${step}` }))] }),
      ),
    () => {
      const id = `${one}-${other}`;
      const isNew =
        one !== other && !board.edges.some(edge => edge.id === id || edge.id === `${other}-${one}`);
      if (isNew)
        store.actions.perform('Connect', add(board, { edges: [{ id, source: one, target: other }] }));
    },
    () => {
      if (board.nodes.length > 3) store.actions.perform('Delete', remove(board, { nodes: [one] }));
    },
    () => store.actions.undo(),
    () => store.actions.redo(),
    () => resolveConflict(random() < 0.5),
  ];
  edits[Math.floor(random() * edits.length)]?.();
}

describe('Saver with two concurrent users', () => {
  for (const seed of SEEDS)
    it(`loses no value in ${GESTURES} random edits of seed ${seed}`, async () => {
      const random = createSeededRandom(seed);
      const service = { board: START, version: 1 };
      const people = [createPerson('Ana', service), createPerson('Ben', service)] as const;
      for (let step = 0; step < GESTURES; step++) {
        const person = people[random() < 0.5 ? 0 : 1];
        performRandomEdit(person, random, step);
        if (random() < 0.3) await person.saver.flush('autosave').catch(ignoreEmptyBoard);
        if (random() < 0.1) await person.saver.pullAndMerge();
        for (const { store, saver } of people) {
          const { conflicts, board } = store.getState();
          // The service never has my value of an open conflict from me: what may be sent has theirs.
          const sendable = applyTheirs(board, conflicts, saver.base.board);
          for (const { path, theirs } of conflicts)
            if (
              path.length > 2 &&
              findNode(sendable, path[1] ?? '') !== undefined &&
              path.at(-2) === 'config'
            )
              assert.equal(valuesOf(sendable).get(`${path[1]} ${path.at(-1)}`), theirs);
        }
        person.recordSeen();
      }
      for (let round = 0; round < 50; round++)
        for (const person of people) {
          person.resolveConflict(true);
          await person.saver.flush('autosave').catch(ignoreEmptyBoard);
          await person.saver.pullAndMerge();
        }
      const sortItems = (board: Board): unknown => [
        board.nodes.toSorted((a, b) => a.id.localeCompare(b.id)),
        board.edges.toSorted((a, b) => a.id.localeCompare(b.id)),
      ];
      for (const { store, saver } of people) {
        assert.deepEqual(store.getState().conflicts, []);
        assert.deepEqual(sortItems(store.getState().board), sortItems(service.board));
        saver.close();
      }
    });
});

function ignoreEmptyBoard(thrown: unknown): void {
  if (!(thrown instanceof Error && /at least one node/.test(thrown.message))) throw thrown;
}
