// Tests which ports fit the open end of a connection on the editor's board, and why others do not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCatalog } from '../../../editor/board/catalog.ts';
import {
  canConnect,
  findFittingPort,
  findIncomingEdge,
  findRejection,
} from '../../../editor/board/wiring.ts';
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { createNodeTypes } from '../../../src/nodes/catalog.ts';

const { catalog: service } = createNodeTypes(readSettings({}));
const catalog = createCatalog(service.entries as readonly CatalogEntry[]);
const getEntry = (nodeType: string) => {
  const entry = catalog.find(nodeType);
  assert.ok(entry);
  return entry;
};

const createNode = (id: string, nodeType: string): GraphNode => ({
  id,
  type: 'standard',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'input', nodeType, config: {} },
});

describe('findFittingPort', () => {
  it('offers only ports that can be connected', () => {
    const nodeTypes = ['input:text', 'input:image', 'input:number', 'input:list', 'edit:fal_flux_2_edit'];
    for (const openType of nodeTypes)
      for (const newType of nodeTypes) {
        const nodes = [createNode('open', openType), createNode('new', newType)];
        const board = { fields: {}, nodes, edges: [] };
        const { inputs, outputs } = getEntry(openType);
        const handles = [
          ...inputs.filter(({ isPort }) => isPort).map(({ id }) => `in-${id}`),
          ...outputs.map(({ id }) => `out-${id}`),
        ];
        for (const handle of handles) {
          const from = { nodeId: 'open', handle };
          const fitting = findFittingPort(catalog, board, getEntry(newType), from);
          if (fitting === undefined) continue;
          assert.ok(
            canConnect(board, catalog, from, { nodeId: 'new', handle: fitting }),
            `${openType} ${handle} → ${newType} ${fitting}`,
          );
        }
      }
  });
});

describe('findIncomingEdge', () => {
  it('finds an edge that names the input, or one without a handle that a run connects to it', () => {
    const nodes = [createNode('text', 'input:text'), createNode('join', 'utility:prompt_concat')];
    const find = (portId: string, ...targetHandles: readonly string[]): string | undefined => {
      const edges = targetHandles.map((targetHandle, index) => ({
        id: `e${index}`,
        source: 'text',
        target: 'join',
        ...(targetHandle === '' ? {} : { targetHandle }),
      }));
      return findIncomingEdge({ fields: {}, nodes, edges }, catalog, 'join', portId)?.id;
    };
    assert.equal(find('text1'), undefined);
    assert.equal(find('text2', 'in-text1', 'in-text2'), 'e1');
    assert.equal(find('text1', 'in-text2'), undefined);
    assert.equal(find('text1', '', ''), 'e0');
    assert.equal(find('text2', '', ''), 'e1');
    assert.equal(find('text2', 'in-text1', ''), 'e1');
    assert.equal(find('text1', '', 'in-text1'), 'e1');
  });
});

describe('findRejection', () => {
  const nodes = [
    createNode('text', 'input:text'),
    createNode('join', 'utility:prompt_concat'),
    createNode('edit', 'edit:sandbox'),
  ];
  const edges = [
    { id: 'e', source: 'text', target: 'join', sourceHandle: 'out-text', targetHandle: 'in-text1' },
  ];
  const board = { fields: {}, nodes, edges };
  const reject = (from: string, to: string) => {
    const [first, second] = [from, to].map(port => {
      const [nodeId = '', handle = ''] = port.split(' ');
      return { nodeId, handle };
    });
    return first && second && findRejection(board, catalog, first, second);
  };

  it('says what the port takes or gives, and what closes a loop', () => {
    assert.deepEqual(reject('text out-text', 'edit in-image'), { reason: 'takes', type: 'IMAGE' });
    assert.deepEqual(reject('edit in-image', 'text out-text'), { reason: 'gives', type: 'TEXT' });
    assert.deepEqual(reject('text out-text', 'join out-text'), { reason: 'side' });
    assert.deepEqual(reject('join out-text', 'join in-text2'), { reason: 'cycle' });
    assert.equal(reject('text out-text', 'edit in-prompt'), undefined);
    assert.equal(reject('text out-text', 'edit in-none'), undefined);
  });
});
