// Tests moving a call of a component to another version, and the address of a component that is open in place.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apply, type Board, findNode } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { comparePorts, updateCall } from '../../../editor/board/component-update.ts';
import { NO_HISTORY, perform, undo } from '../../../editor/board/history.ts';
import { parseTrail, type TrailStep, toCallerHref, toFlowHref } from '../../../editor/lib/trail.ts';
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import type { ComponentPort } from '../../../src/graph/config-ports.ts';
import type { GraphEdge, GraphNode, JsonObject } from '../../../src/graph/types.ts';

const port = (id: string, type: ComponentPort['type'] = 'TEXT', label = id): ComponentPort => ({
  id,
  label,
  type,
});

const node = (id: string, nodeType: string, config: unknown = {}): GraphNode => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'utility', nodeType, config: config as JsonObject },
});
const edge = (id: string, from: string, to: string): GraphEdge => {
  const [source = '', sourceHandle = ''] = from.split('.');
  const [target = '', targetHandle = ''] = to.split('.');
  return { id, source, sourceHandle: `out-${sourceHandle}`, target, targetHandle: `in-${targetHandle}` };
};

const entry = (nodeType: string, inputs: readonly ComponentPort[], outputs: readonly ComponentPort[]) =>
  ({
    nodeType,
    label: nodeType,
    category: 'utility',
    inputs: inputs.map(item => ({ ...item, isPort: true })),
    outputs: outputs.map(item => ({ ...item, isPort: true })),
  }) as unknown as CatalogEntry;
const catalog = createCatalog([
  entry('text', [port('input')], [port('text')]),
  entry('image', [port('input', 'IMAGE')], [port('image', 'IMAGE')]),
]);

const BOARD: Board = {
  fields: { name: 'A board' },
  nodes: [
    node('idea', 'text'),
    node('style', 'text'),
    node('show', 'image'),
    node('call', 'component:call', {
      workflowId: 'wf_b',
      version: 3,
      name: 'Picture',
      inputs: [port('prompt'), port('style'), port('size', 'NUMBER', 'Size')],
      outputs: [port('result', 'IMAGE')],
      values: { size: 4, style: 'oil' },
    }),
  ],
  edges: [
    edge('a', 'idea.text', 'call.prompt'),
    edge('b', 'style.text', 'call.style'),
    edge('c', 'call.result', 'show.input'),
  ],
};

const NEW_VERSION = {
  name: 'Picture of it',
  version: 5,
  inputs: [port('prompt'), port('size', 'NUMBER', 'Width'), port('seed', 'NUMBER')],
  outputs: [port('result', 'TEXT')],
};

describe('updateCall', () => {
  it('applies the ports of the new version and removes connections that no longer fit', () => {
    const { changes, ports, lostEdges } = updateCall(BOARD, catalog, 'call', NEW_VERSION);
    const after = apply(BOARD, changes);
    assert.deepEqual(findNode(after, 'call')?.data.config, {
      workflowId: 'wf_b',
      version: 5,
      name: 'Picture of it',
      inputs: NEW_VERSION.inputs,
      outputs: NEW_VERSION.outputs,
      values: { size: 4 },
    });
    // `style` is gone, and text does not fit the image input of `show`.
    assert.deepEqual(
      after.edges.map(({ id }) => id),
      ['a'],
    );
    assert.equal(lostEdges, 2);
    assert.deepEqual(
      ports.map(({ side, before, after: now }) => [side, before?.label, now?.label, before?.type, now?.type]),
      [
        ['input', 'style', undefined, 'TEXT', undefined],
        ['input', 'Size', 'Width', 'NUMBER', 'NUMBER'],
        ['input', undefined, 'seed', undefined, 'NUMBER'],
        ['output', 'result', 'result', 'IMAGE', 'TEXT'],
      ],
    );
    const state = perform(
      { board: BOARD, history: NO_HISTORY },
      { label: 'Update', changes, key: undefined, atMs: 0 },
    );
    assert.deepEqual(undo(state).board, BOARD);
  });

  it('keeps edges that do not refer to a changed port', () => {
    const { sourceHandle: _, ...bare } = edge('bare', 'idea.text', 'call.style');
    const edges = [bare, edge('d', 'idea.text', 'style.input'), edge('e', 'idea.gone', 'call.prompt')];
    const { changes, lostEdges } = updateCall({ ...BOARD, edges }, catalog, 'call', NEW_VERSION);
    assert.equal(lostEdges, 0);
    assert.deepEqual(apply({ ...BOARD, edges }, changes).edges, edges);
  });

  it('comparePorts returns no difference if only the order of the ports differs', () => {
    const componentInterface = { inputs: [port('a'), port('b')], outputs: [] };
    assert.deepEqual(
      comparePorts(componentInterface, { inputs: componentInterface.inputs.toReversed(), outputs: [] }),
      [],
    );
  });
});

describe('parseTrail', () => {
  const TRAIL: readonly TrailStep[] = [
    { workflowId: 'wf_a', nodeId: 'a call: with/signs&+', version: 3, isCurrent: true },
    { workflowId: 'wf_b', nodeId: 'inner', version: 'latest', isCurrent: false },
  ];
  const toSearch = (href: string): string => new URL(href, 'http://localhost').search;

  it('reads the trail that toFlowHref wrote', () => {
    const href = toFlowHref('wf_c', TRAIL);
    assert.deepEqual(parseTrail(toSearch(href)), TRAIL);
    assert.equal(href.split('?')[0], '/flow/wf_c');
    assert.equal(toCallerHref(TRAIL), toFlowHref('wf_b', TRAIL.slice(0, 1)));
    assert.equal(toCallerHref(TRAIL.slice(0, 1)), '/flow/wf_a');
  });

  it('ignores malformed steps and steps beyond the maximum depth', () => {
    for (const text of ['', 'wf_a', 'wf_a:3', 'wf_a:0:x', 'wf_a:3:', '../x:3:y', 'wf_a:1e9:x'])
      assert.deepEqual(parseTrail(`?in=${encodeURIComponent(text)}`), [], text);
    assert.equal(parseTrail(`?${'in=wf_a:1:x&'.repeat(20)}`).length, 8);
  });
});
