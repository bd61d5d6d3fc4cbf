// Tests the names of input nodes: explicit names, names made from labels, and which node a key names.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getInputNames, indexInputs } from '../../src/graph/input-names.ts';
import { COMPONENT, type GraphNode } from '../../src/graph/types.ts';
import { node } from './fixture.ts';

const input = (id: string, label: string, name?: unknown, nodeType = 'input:text'): GraphNode => {
  const { data, ...rest } = node(id, nodeType);
  return { ...rest, data: { ...data, label, ...(name === undefined ? {} : { name }) } };
};
const listNames = (...nodes: readonly GraphNode[]) => [...getInputNames(nodes).values()];

describe('getInputNames', () => {
  it('uses the explicit name, and otherwise a name made from the label', () => {
    assert.deepEqual(listNames(input('1', 'Product photo', 'photo'), input('2', 'Ein Bild für Dich!')), [
      'photo',
      'ein_bild_fur_dich',
    ]);
    assert.deepEqual(listNames(input('1', '画像', undefined, 'input:image')), ['image']);
    assert.deepEqual(listNames(input('1', 'not a valid name', 'not valid')), ['not_a_valid_name']);
    assert.deepEqual(listNames(input('1', 'x'.repeat(1000))), ['x'.repeat(50)]);
  });

  it('names only input nodes, and none inside components', () => {
    const inner = { ...input('c/a', 'Text'), [COMPONENT]: { path: 'c', workflowIds: [], isOutput: false } };
    assert.deepEqual(listNames(node('p', 'output:preview'), inner, input('a', 'Text')), ['text']);
  });

  it('gives each input another name', () => {
    assert.deepEqual(listNames(input('1', 'Text'), input('2', 'Text'), input('3', 'Anything', 'text')), [
      'text_2',
      'text_3',
      'text',
    ]);
    assert.deepEqual(listNames(input('1', 'A', 'same'), input('2', 'B', 'same')), ['same', 'b']);
  });

  it('uses no id of another input', () => {
    assert.deepEqual(listNames(input('prompt', 'Prompt'), input('2', 'Prompt'), input('3', 'C', 'prompt')), [
      'prompt',
      'prompt_2',
      'c',
    ]);
  });

  it('names thousands of inputs with the same label', () => {
    const names = listNames(...Array.from({ length: 20_000 }, (_, index) => input(`n${index}`, 'Text')));
    assert.equal(new Set(names).size, 20_000);
    assert.equal(names.at(-1), 'text_20000');
  });
});

describe('indexInputs', () => {
  it('finds an input by id and by name, the id first', () => {
    const find = indexInputs([input('1', 'Prompt'), input('2', 'Other', 'look'), input('look', 'Third')]);
    assert.deepEqual(['1', 'prompt', '2', 'look', 'third', 'other', 'x'].map(find), [
      '1',
      '1',
      '2',
      'look',
      'look',
      '2',
      undefined,
    ]);
  });

  it('does not count the id of a node that is no input', () => {
    const find = indexInputs([node('picture', 'generate:image'), input('1', 'Picture')]);
    assert.equal(find('picture'), '1');
  });
});
