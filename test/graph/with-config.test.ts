// Tests the config that a run sets: fields of nodes, and other models.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPlan } from '../../src/graph/plan.ts';
import { withConfig } from '../../src/graph/with-config.ts';
import { sketchGraph } from '../support/engine/engine.ts';
import { catalog, listConnections, preview, text } from './components/component-graphs.ts';

const GRAPH = sketchGraph(
  {
    prompt: text('p'),
    picture: { type: 'edit:sandbox', config: { seed: 5, prompt: 'p' } },
    draw: { type: 'generate:sandbox', config: { width: 256, style: 'rings', seed: 7 } },
    end: preview,
  },
  ['draw.image > picture.image', 'prompt.text > picture.prompt', 'picture.image > end.input'],
);
const getData = (graph: typeof GRAPH, id: string) => graph.nodes.find(node => node.id === id)?.data;

describe('the config of a run', () => {
  it('sets fields, and leaves other nodes as they are', () => {
    const graph = withConfig(GRAPH, { draw: { width: 512 }, none: { width: 1 } }, catalog);
    assert.deepEqual(getData(graph, 'draw')?.config, { width: 512, style: 'rings', seed: 7 });
    assert.equal(graph.nodes[0], GRAPH.nodes[0]);
    assert.equal(graph.edges, GRAPH.edges);
  });

  it('gives a node another model, with the settings that the model accepts', () => {
    const nodeType = 'generate:fal_flux_dev';
    const graph = withConfig(GRAPH, { draw: { nodeType, guidance_scale: 5 } }, catalog);
    assert.equal(getData(graph, 'draw')?.nodeType, nodeType);
    assert.deepEqual(getData(graph, 'draw')?.config, { seed: 7, guidance_scale: 5 });
    assert.ok(listConnections(graph).includes('draw.image > picture.image'));
  });

  it('drops connections that the model has no port for', () => {
    const graph = withConfig(GRAPH, { picture: { nodeType: 'generate:sandbox' } }, catalog);
    assert.ok(createPlan(graph, catalog).ok);
    assert.deepEqual(listConnections(graph), ['picture.image > end.input', 'prompt.text > picture.prompt']);
  });

  it('keeps a node whose model stays the same', () => {
    const graph = withConfig(GRAPH, { draw: { nodeType: 'generate:sandbox', width: 64 } }, catalog);
    assert.deepEqual(getData(graph, 'draw')?.config, { width: 64, style: 'rings', seed: 7 });
  });
});
