// Tests which graphs of partner nodes become models of ours, and that the table fits the models.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiGraph } from '../../../src/graph/comfyui/api-graph.ts';
import { createNativeBoard } from '../../../src/graph/comfyui/native-board.ts';
import type { JsonObject } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';
import { comfyNodeTypes, readPartnerTable } from '../../../src/nodes/comfyui/node-types.ts';

const catalog = createNodeCatalog({ SANDBOX_MODELS: false });
const table = readPartnerTable();
const build = (graph: ApiGraph) => createNativeBoard(graph, table, catalog);

const EDIT: ApiGraph = {
  1: { class_type: 'LoadImage', inputs: { image: 'cat.png' } },
  2: {
    class_type: 'FluxKontextProImageNode',
    inputs: {
      prompt: 'add a hat',
      input_image: ['1', 0],
      aspect_ratio: '1:1',
      guidance: 3,
      steps: 50,
      seed: 7,
      prompt_upsampling: false,
    },
  },
  3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'a' } },
};

describe('a graph of partner nodes', () => {
  it('becomes models of ours, with the values under our names', () => {
    const board = build(EDIT);
    const model = board?.nodes[1]?.data as JsonObject;
    assert.equal(model.nodeType, 'edit:fal_flux_kontext');
    assert.deepEqual(model.config, { prompt: 'add a hat', guidance_scale: 3, seed: 7 });
    assert.deepEqual(
      board?.edges.map(edge => `${edge.source}.${edge.sourceHandle} > ${edge.target}.${edge.targetHandle}`),
      ['node-1.out-image > node-2.in-image', 'node-2.out-image > node-3.in-input'],
    );
    assert.equal(board?.outcomes.get('2')?.message, 'Values without a place in the node: aspect_ratio.');
  });

  it('chooses the model by what is connected and by the values', () => {
    const withoutImage = {
      ...EDIT,
      2: { ...EDIT[2], inputs: { ...EDIT[2]?.inputs, input_image: null } },
    } as ApiGraph;
    assert.equal(
      (build(withoutImage)?.nodes[1]?.data as JsonObject | undefined)?.nodeType,
      'generate:fal_flux_pro_kontext_text_to_image',
    );
    const veo = (model: string): ApiGraph => ({
      1: { class_type: 'Veo3VideoGenerationNode', inputs: { prompt: 'waves', duration_seconds: 8, model } },
    });
    const data = build(veo('veo-3.1-fast-generate'))?.nodes[0]?.data as JsonObject;
    assert.equal(data.nodeType, 'video:fal_veo3_1_fast');
    assert.deepEqual(data.config, { prompt: 'waves', duration: '8s' });
    assert.equal(build(veo('veo-3.0-generate-001')), undefined, 'another version is another model');
  });

  it('stays whole if a part needs ComfyUI', () => {
    const upscaled = { ...EDIT, 3: { class_type: 'ImageScale', inputs: { image: ['2', 0] } } } as ApiGraph;
    assert.equal(build(upscaled), undefined);
    const masked = {
      ...EDIT,
      2: { class_type: 'FluxKontextProImageNode', inputs: { mask: ['1', 1] } },
    } as ApiGraph;
    assert.equal(build(masked), undefined);
    const { 1: first } = EDIT;
    assert.equal(build({ 1: first } as ApiGraph), undefined, 'no partner node');
  });
});

describe('the table of partner nodes', () => {
  it('names inputs that the types have, and fields and values that the models have', () => {
    for (const [type, rows] of Object.entries(table)) {
      const known = comfyNodeTypes.find(type);
      assert.ok(known?.isPartner, type);
      for (const { nodeType, fields, values = {}, only = {} } of rows) {
        const entry = catalog.find(nodeType);
        assert.ok(entry, `${type}: ${nodeType}`);
        for (const [name, id] of Object.entries(fields)) {
          const field = entry.inputs.find(input => input.id === id);
          assert.ok(field, `${type}: ${nodeType} has no ${id}`);
          for (const value of Object.values(values[name] ?? {}))
            assert.ok(value === null || field.enum?.includes(String(value)), `${type}: ${id} ${value}`);
        }
        for (const name of Object.keys(only))
          assert.ok(
            known.widgets.some(widget => widget.name === name),
            `${type} has no ${name}`,
          );
      }
    }
  });
});
