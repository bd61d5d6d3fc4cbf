// Tests replacing the model of a node: which connections and settings stay, and what is reported as lost.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apply, type Board, findNode, invert } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { replaceType } from '../../../editor/board/replace-type.ts';
import type { GraphEdge, GraphNode, JsonObject } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const catalog = createCatalog(createNodeCatalog({ SANDBOX_MODELS: true, FAL_KEY: 'key' } as never).entries);

const node = (id: string, nodeType: string, config: JsonObject = {}): GraphNode => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: catalog.find(nodeType)?.label ?? id, category: 'model', nodeType, config },
});
const edge = (source: string, sourceHandle: string, target: string, targetHandle: string): GraphEdge => ({
  id: `${source}-${target}-${targetHandle}`,
  source,
  target,
  sourceHandle,
  targetHandle,
});
const wires = ({ edges }: Board): readonly string[] =>
  edges.map(({ source, sourceHandle, target, targetHandle }) =>
    [source, sourceHandle, target, targetHandle].join(' '),
  );

function replace(board: Board, id: string, nodeType: string) {
  const [before, entry] = [findNode(board, id), catalog.find(nodeType)];
  assert.ok(before && entry);
  const { changes, ...lost } = replaceType(board, catalog, before, entry);
  const after = apply(board, changes);
  assert.deepEqual(apply(after, invert(changes)), board, 'one step undoes it');
  return { after, node: findNode(after, id), ...lost };
}

describe('replaceType', () => {
  const board: Board = {
    fields: {},
    nodes: [
      node('idea', 'input:text'),
      node('photo', 'input:image'),
      node('m', 'edit:fal_seedream', { prompt: 'a fox', seed: 7 }),
      node('out', 'output:preview'),
    ],
    edges: [
      edge('idea', 'out-text', 'm', 'in-prompt'),
      edge('photo', 'out-image', 'm', 'in-image'),
      edge('m', 'out-image', 'out', 'in-input'),
    ],
  };

  it('keeps connections and equal settings', () => {
    const { after, node, lostConnections, lostSettings } = replace(board, 'm', 'edit:fal_flux_kontext');
    assert.equal(node?.data.nodeType, 'edit:fal_flux_kontext');
    assert.equal(node?.data.label, catalog.find('edit:fal_flux_kontext')?.label);
    assert.deepEqual(wires(after).toSorted(), wires(board).toSorted());
    assert.deepEqual(
      [node?.data.config, lostConnections, lostSettings],
      [{ prompt: 'a fox', seed: 7 }, [], []],
    );
  });

  it('connects the ports of other names whose types fit', () => {
    const { after, lostConnections } = replace(board, 'm', 'edit:fal_flux_2_edit');
    const list = catalog
      .find('edit:fal_flux_2_edit')
      ?.inputs.find(({ type, isPort }) => isPort && type === 'LIST');
    assert.ok(wires(after).includes(`photo out-image m in-${list?.id}`));
    assert.deepEqual(lostConnections, []);
  });

  it('removes connections without a counterpart, and says so', () => {
    const { after, lostConnections } = replace(board, 'm', 'generate:fal_flux_dev');
    assert.deepEqual(wires(after), ['idea out-text m in-prompt', 'm out-image out in-input']);
    assert.deepEqual(lostConnections, ['Image']);
  });

  it('drops values that the new model does not accept, and names those that were not defaults', () => {
    const field = catalog
      .find('generate:fal_flux_dev')
      ?.inputs.find(({ id }) => id === 'num_inference_steps');
    const graph: Board = {
      fields: {},
      nodes: [
        node('m', 'generate:fal_flux_dev', { prompt: 'a fox', num_inference_steps: 50, guidance_scale: 3.5 }),
      ],
      edges: [],
    };
    const { node: after, lostSettings } = replace(graph, 'm', 'generate:fal_nano_banana');
    assert.deepEqual([after?.data.config, lostSettings], [{ prompt: 'a fox' }, [field?.label]]);
    const schnell = replace(graph, 'm', 'generate:fal_flux_schnell');
    assert.equal(schnell.node?.data.config?.num_inference_steps, undefined, 'at most 12 steps');
  });

  it('unpins the result of the previous model', () => {
    const [first] = board.nodes.filter(({ id }) => id === 'm');
    assert.ok(first);
    const pinned = { ...first, data: { ...first.data, pinnedRun: 'exec_1' } as GraphNode['data'] };
    const { node: after } = replace({ fields: {}, nodes: [pinned], edges: [] }, 'm', 'edit:fal_flux_kontext');
    assert.equal(after?.data.pinnedRun, undefined);
  });
});
