// Tests the editor's board: changes, undo and redo, and merging two people's boards.
import 'fake-indexeddb/auto';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apply, type Board, type Change, findNode } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { paste } from '../../../editor/board/clipboard.ts';
import { summarizeChanges } from '../../../editor/board/difference.ts';
import { openDrafts } from '../../../editor/board/drafts.ts';
import {
  add,
  findFreeId,
  move,
  remove,
  setConfig,
  setData,
  setField,
  setLabel,
} from '../../../editor/board/edits.ts';
import { type EditState, MAX_EDITS, NO_HISTORY, perform, redo, undo } from '../../../editor/board/history.ts';
import { mergeBoards } from '../../../editor/board/merge.ts';
import type { GraphEdge, GraphNode } from '../../../src/graph/types.ts';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';

const node = (id: string, config = {}): GraphNode => ({
  id,
  type: 'standard',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'input', nodeType: 'input:text', config, unknownField: { value: 1 } },
});
const edge = (source: string, target: string): GraphEdge => ({ id: `${source}-${target}`, source, target });
const boardOf = (ids: readonly string[], edges: readonly (readonly [string, string])[] = []): Board => ({
  fields: { name: 'A board' },
  nodes: ids.map(id => node(id)),
  edges: edges.map(([source, target]) => edge(source, target)),
});
const catalog = createCatalog([]);
const createEdit = (changes: readonly Change[], key?: string, atMs = 0) => ({
  label: 'x',
  changes,
  key,
  atMs,
});

describe('a board', () => {
  it('names new inputs by their label, and keeps the name when the label changes', () => {
    const start = boardOf([]);
    const input = (id: string, label: string, data: object = {}): GraphNode => ({
      ...node(id),
      data: { ...node(id).data, label, ...data },
    });
    const board = apply(start, add(start, { nodes: [input('1', 'Product photo'), input('2', 'Text')] }));
    assert.deepEqual(
      board.nodes.map(({ data }) => data.name),
      ['product_photo', 'text'],
    );
    const renamed = apply(board, setLabel(board, '1', 'Anything'));
    assert.equal(findNode(renamed, '1')?.data.name, 'product_photo');
    const unnamed: Board = { ...start, nodes: [input('1', 'Words')] };
    assert.equal(findNode(apply(unnamed, setLabel(unnamed, '1', 'Other')), '1')?.data.name, 'words');
    const pasted = apply(board, paste(board, board, { x: 0, y: 0 }).changes);
    assert.deepEqual(
      pasted.nodes.map(({ data }) => data.name),
      ['product_photo', 'text', 'product_photo_2', 'text_2'],
    );
  });

  it('restores a removed node with its edges, group membership and position in the list', () => {
    const group = node('g', { childNodeIds: ['b', 'c'] });
    const board = {
      ...boardOf(
        ['a', 'b', 'c'],
        [
          ['a', 'b'],
          ['a', 'c'],
          ['b', 'c'],
        ],
      ),
    };
    const grouped = apply(board, add(board, { nodes: [group] }));
    const start: EditState = { board: grouped, history: NO_HISTORY };
    const after = perform(start, createEdit(remove(grouped, { nodes: ['b'] })));
    assert.deepEqual(
      after.board.nodes.map(({ id }) => id),
      ['a', 'c', 'g'],
    );
    assert.deepEqual(
      after.board.edges.map(({ id }) => id),
      ['a-c'],
    );
    assert.deepEqual(findNode(after.board, 'g')?.data.config, { childNodeIds: ['c'] });
    assert.equal(JSON.stringify(undo(after).board), JSON.stringify(grouped));
    assert.equal(JSON.stringify(redo(undo(after)).board), JSON.stringify(after.board));
  });

  it('gives pasted nodes new ids based on the copied ids', () => {
    const board = boardOf(['text-image', 'text-a1b2c']);
    const { ids } = paste(board, board, { x: 0, y: 0 });
    assert.match(ids[0] ?? '', /^text-image-[0-9a-z]+$/);
    assert.match(ids[1] ?? '', /^text-[0-9a-z]+$/);
  });

  it('makes no change for equal values', () => {
    const board = boardOf(['a', 'b'], [['a', 'b']]);
    assert.deepEqual(move(board, new Map([['a', { x: 0, y: 0 }]])), []);
    assert.deepEqual(setConfig(board, catalog, 'a', { absent: undefined }), []);
    assert.deepEqual(setField(board, 'name', 'A board'), []);
    assert.equal(apply(board, move(board, new Map([['a', { x: 1, y: 0 }]]))).edges, board.edges);
  });

  it('refuses to remove a node that the board does not have', () => {
    const board = boardOf(['a', 'b']);
    const changes = remove(board, { nodes: ['a'] });
    assert.throws(() => apply(apply(board, changes), changes), RangeError);
  });

  it('finds the next free id', () => {
    const board = boardOf(['text', 'text-2']);
    assert.equal(findFreeId(board, 'image'), 'image');
    assert.equal(findFreeId(board, 'text'), 'text-3');
    assert.equal(findFreeId(board, 'text-2', new Set(['text-3'])), 'text-4');
  });
});

describe('summarizeChanges', () => {
  it('returns the names of settings as they are written', () => {
    const before = boardOf(['a']);
    const renamed = apply(before, setData(before, 'a', { label: 'HDR' }));
    const after = apply(renamed, setConfig(renamed, catalog, 'a', { modelURL: 'x' }));
    const { settings } = summarizeChanges(before, after, catalog);
    assert.deepEqual(settings, [
      { setting: 'modelURL', label: 'HDR' },
      { setting: 'Name', label: 'HDR' },
    ]);
  });
});

describe('undo', () => {
  it('groups quick consecutive edits into one step', () => {
    let state: EditState = { board: boardOf(['a']), history: NO_HISTORY };
    const start = state.board;
    for (const [text, atMs] of [
      ['h', 0],
      ['he', 400],
      ['hey', 800],
      ['hey you', 5000],
    ] as const)
      state = perform(state, createEdit(setConfig(state.board, catalog, 'a', { text }), 'a.text', atMs));
    assert.equal(state.history.past.length, 2);
    assert.equal(state.history.past[0]?.changes.length, 1);
    state = undo(state);
    assert.deepEqual(findNode(state.board, 'a')?.data.config, { text: 'hey' });
    state = undo(state);
    assert.equal(JSON.stringify(state.board), JSON.stringify(start));
    assert.equal(undo(state).board, state.board);
  });

  it('restores every board byte for byte through 500 steps after a reload', async () => {
    const drafts = await openDrafts('usr_1');
    for (const seed of [1, 2, 3]) {
      const random = createSeededRandom(seed);
      let state: EditState = {
        board: boardOf(
          ['a', 'b', 'c'],
          [
            ['a', 'b'],
            ['b', 'c'],
          ],
        ),
        history: NO_HISTORY,
      };
      const boards = [JSON.stringify(state.board)];
      for (let step = 0; state.history.past.length < MAX_EDITS; step++) {
        const next = perform(state, createEdit(randomChanges(state.board, random, step)));
        if (next.history.past.length > state.history.past.length) boards.push(JSON.stringify(next.board));
        state = next;
      }
      const base = { board: state.board, etag: '"1"' };
      await drafts.save({ workflowId: `wf_${seed}`, ...state, base, atMs: 5 });
      state = (await drafts.find(`wf_${seed}`, Promise.resolve(base))) ?? state;
      for (let step = MAX_EDITS - 1; step >= 0; step--) {
        state = undo(state);
        assert.equal(JSON.stringify(state.board), boards[step], `undo of step ${step}, seed ${seed}`);
      }
      for (let step = 1; step <= MAX_EDITS; step++) {
        state = redo(state);
        assert.equal(JSON.stringify(state.board), boards[step], `redo of step ${step}, seed ${seed}`);
      }
    }
    drafts.close();
  });
});

describe('mergeBoards', () => {
  const base = boardOf(['a', 'b', 'c'], [['a', 'b']]);

  it('applies changes that only one side made to a node', () => {
    const mine = apply(base, [
      ...setConfig(base, catalog, 'a', { prompt: 'mine' }),
      ...move(base, new Map([['b', { x: 9, y: 9 }]])),
    ]);
    const seeded = apply(base, setConfig(base, catalog, 'a', { seed: 7 }));
    const theirs = apply(seeded, add(seeded, { nodes: [node('d')], edges: [edge('b', 'd')] }));
    const { board, conflicts } = mergeBoards(base, mine, theirs);
    assert.deepEqual(conflicts, []);
    assert.deepEqual(findNode(board, 'a')?.data.config, { prompt: 'mine', seed: 7 });
    assert.deepEqual(findNode(board, 'b')?.position, { x: 9, y: 9 });
    assert.deepEqual(
      board.edges.map(({ id }) => id),
      ['a-b', 'b-d'],
    );
  });

  it('reports a conflict for each value that both sides changed', () => {
    const mine = apply(base, [
      ...setConfig(base, catalog, 'a', { prompt: 'mine' }),
      ...setField(base, 'name', 'Mine'),
    ]);
    const theirs = apply(base, [
      ...setConfig(base, catalog, 'a', { prompt: 'theirs' }),
      ...setField(base, 'name', 'Theirs'),
    ]);
    const { board, conflicts } = mergeBoards(base, mine, theirs);
    assert.deepEqual(
      conflicts.map(({ path, mine, theirs }) => [path.join('.'), mine, theirs]),
      [
        ['nodes.a.data.config.prompt', 'mine', 'theirs'],
        ['fields.name', 'Mine', 'Theirs'],
      ],
    );
    assert.equal(findNode(board, 'a')?.data.config?.prompt, 'mine');
  });

  it('reports a conflict for a node that one side removed and the other changed', () => {
    const mine = apply(base, [...setData(base, 'b', { label: 'Kept' })]);
    const theirs = apply(base, remove(base, { nodes: ['b', 'c'] }));
    const { board, conflicts } = mergeBoards(base, mine, theirs);
    assert.deepEqual(
      board.nodes.map(({ id }) => id),
      ['a', 'b'],
    );
    assert.deepEqual(
      conflicts.map(({ path }) => path),
      [['nodes', 'b']],
    );
    const otherMerge = mergeBoards(base, theirs, mine);
    assert.deepEqual(
      otherMerge.board.nodes.map(({ id }) => id),
      ['a'],
    );
    assert.deepEqual(
      otherMerge.conflicts.map(({ theirs }) => (theirs as GraphNode).data.label),
      ['Kept'],
    );
  });

  it('removes an edge that the other side removed together with a setting that I changed', () => {
    const before = apply(base, setConfig(base, catalog, 'a', { text: 'base' }));
    const mine = apply(before, setConfig(before, catalog, 'a', { text: 'mine' }));
    const boardWithoutText = apply(before, setConfig(before, catalog, 'a', { text: undefined }));
    const theirs = apply(boardWithoutText, remove(boardWithoutText, { edges: ['a-b'] }));
    const { board, conflicts } = mergeBoards(before, mine, theirs);
    assert.deepEqual(
      conflicts.map(({ path, theirs: value }) => [path.join('/'), value]),
      [['nodes/a/data/config/text', undefined]],
    );
    assert.deepEqual(board.edges, theirs.edges);
  });

  it('reports a conflict for an edge of mine that closes a cycle with an edge of theirs', () => {
    const { edges, ...rest } = boardOf(['a', 'b', 'c'], [['a', 'c']]);
    const reconnected = (source: string, target: string): GraphEdge => ({ id: 'a-c', source, target });
    const cases: readonly (readonly [mine: readonly GraphEdge[], theirs: readonly GraphEdge[]])[] = [
      [
        [...edges, edge('b', 'a')],
        [...edges, edge('a', 'b')],
      ],
      [[...edges, edge('b', 'a')], [reconnected('a', 'b')]],
      [[reconnected('b', 'a')], [...edges, edge('a', 'b')]],
    ];
    for (const [mine, theirs] of cases) {
      const { conflicts } = mergeBoards(
        { ...rest, edges },
        { ...rest, edges: mine },
        { ...rest, edges: theirs },
      );
      const ownEdge = mine.find(({ source }) => source === 'b');
      assert.deepEqual(
        conflicts.map(({ path, mine, theirs }) => [path, mine, theirs]),
        [[['edges', ownEdge?.id], ownEdge, theirs.find(({ id }) => id === ownEdge?.id)]],
      );
    }
  });

  it('reports a conflict for a node that the other side removed and I connected', () => {
    const mine = apply(base, add(base, { edges: [edge('a', 'c')] }));
    const theirs = apply(base, remove(base, { nodes: ['c'] }));
    const { board, conflicts } = mergeBoards(base, mine, theirs);
    assert.deepEqual(
      board.edges.map(({ id }) => id),
      ['a-b', 'a-c'],
    );
    assert.deepEqual(
      conflicts.map(({ path, theirs: value }) => [path, value]),
      [[['nodes', 'c'], undefined]],
    );
  });
});

function randomChanges(board: Board, random: () => number, step: number): readonly Change[] {
  const pick = (): string => board.nodes[Math.floor(random() * board.nodes.length)]?.id ?? 'a';
  const edits: readonly (() => readonly Change[])[] = [
    () => add(board, { nodes: [node(findFreeId(board, `n${step}`))] }),
    () =>
      board.nodes.length === 0
        ? []
        : add(board, { edges: [{ ...edge(pick(), pick()), id: findFreeId(board, `e${step}`) }] }),
    () => remove(board, { nodes: [pick()] }),
    () => remove(board, { edges: board.edges.slice(0, 1).map(({ id }) => id) }),
    () => move(board, new Map([[pick(), { x: step, y: -step }]])),
    () => setConfig(board, catalog, pick(), { text: `text ${step}` }),
    () => setConfig(board, catalog, pick(), { text: undefined }),
    () => setField(board, 'name', `Name ${step}`),
  ];
  return edits[Math.floor(random() * edits.length)]?.() ?? [];
}
