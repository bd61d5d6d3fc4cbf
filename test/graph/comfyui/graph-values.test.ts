// Tests which values of a ComfyUI graph are suggested as inputs, and how ports become fields.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listGraphResults, listGraphValues } from '../../../src/graph/comfyui/graph-values.ts';
import { toComfyPorts } from '../../../src/graph/comfyui/ports.ts';
import { convert, TEXT_TO_IMAGE } from './ui-files.ts';

const { graph } = convert(TEXT_TO_IMAGE);

describe('values of a graph', () => {
  it('begin with prompts, media, seeds, sizes and steps', () => {
    const values = listGraphValues({
      ...graph,
      11: { class_type: 'LoadImage', inputs: { image: 'cat.png' } },
    });
    const suggested = values.filter(({ kind }) => kind !== undefined);
    assert.deepEqual(
      suggested.map(({ kind, label }) => `${kind} ${label}`),
      [
        'prompt Prompt',
        'prompt Negative prompt',
        'media Image',
        'seed Seed',
        'size Width',
        'size Height',
        'size Batch size',
        'steps Steps',
        'steps Cfg',
        'steps Denoise',
      ],
    );
    assert.deepEqual(values.slice(0, suggested.length), suggested);
    assert.ok(values.some(({ input, type }) => input === 'sampler_name' && type === 'TEXT'));
  });

  it('are no connections, and texts of results are no prompts', () => {
    assert.ok(listGraphValues(graph).every(({ input }) => input !== 'positive'));
    const [text] = listGraphValues({ a: { class_type: 'SaveText', inputs: { text: 'a' } } });
    assert.equal(text?.kind, undefined);
    assert.deepEqual(listGraphResults(graph), [{ node: '9', type: 'IMAGE', label: 'Image' }]);
  });
});

describe('an input of a ComfyUI node', () => {
  it('is a field without a port if it says so', () => {
    const seed = { id: 'seed', label: 'Seed', type: 'NUMBER', node: '3', input: 'seed' };
    const getInput = (isField: boolean) =>
      toComfyPorts({ graph: graph as never, inputs: [{ ...seed, isField }] }).inputs[0];
    assert.deepEqual(getInput(true), {
      id: 'seed',
      label: 'Seed',
      type: 'NUMBER',
      isPort: false,
      default: 42,
    });
    assert.equal(getInput(false)?.isPort, true);
  });
});
