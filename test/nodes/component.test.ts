// Tests the ports of the node that calls a component.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';

const catalog = createNodeCatalog({ SANDBOX_MODELS: true });

describe('the ports of component:call', () => {
  it('are those of the config in the same order', () => {
    const { inputs, outputs } = catalog.ports('component:call', {
      inputs: [
        { id: 'zoom', label: 'Zoom', type: 'NUMBER' },
        { id: '7', label: 'Seven', type: 'TEXT' },
        { id: '__proto__', label: 'Odd', type: 'JSON' },
        { id: 'zoom', label: 'Again', type: 'TEXT' },
        { id: 'bad', label: 'Bad', type: 'NOTHING' },
      ],
      outputs: [{ id: 'the image', label: 'Image', type: 'IMAGE' }],
    });
    assert.deepEqual(
      inputs.filter(({ isPort }) => isPort).map(({ id, type }) => [id, type]),
      [
        ['zoom', 'NUMBER'],
        ['7', 'TEXT'],
        ['__proto__', 'JSON'],
      ],
    );
    assert.deepEqual(outputs, [{ id: 'the image', label: 'Image', type: 'IMAGE', isPort: true }]);
  });

  it('replace a field with the same id', () => {
    const { inputs } = catalog.ports('component:call', {
      inputs: [{ id: 'name', label: 'Your name', type: 'TEXT' }],
    });
    assert.deepEqual(
      inputs.filter(({ id }) => id === 'name').map(({ isPort }) => isPort),
      [true],
    );
  });

  it('are required only if the call has no value for the port', () => {
    const config = { inputs: [{ id: 'photo', label: 'Photo', type: 'IMAGE', required: true }] };
    const isRequired = (values: object) =>
      catalog.ports('component:call', { ...config, values } as never).inputs[0]?.required === true;
    assert.equal(isRequired({}), true);
    assert.equal(isRequired({ photo: { mediaId: 'med_1' } }), false);
  });

  it('are empty if the config has no list of ports', () => {
    const { inputs, outputs } = catalog.ports('component:call', { inputs: 'x', outputs: 7 });
    assert.deepEqual([inputs.some(({ isPort }) => isPort), outputs], [false, []]);
  });
});
