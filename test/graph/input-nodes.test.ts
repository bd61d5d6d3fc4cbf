// Tests which nodes are inputs of a workflow, and which of them provide a file.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getMediaInputKind, isInputNode } from '../../src/graph/input-nodes.ts';

const isInput = (nodeType: string): boolean =>
  isInputNode({ data: { label: '', category: 'input', nodeType } });

it('input nodes are known by their type, and media inputs have a kind', () => {
  assert.deepEqual(['input:text', 'input:newer', 'utility:math', 'output:preview'].map(isInput), [
    true,
    true,
    false,
    false,
  ]);
  assert.deepEqual(
    ['input:image', 'input:video', 'input:audio', 'input:text', 'input:images'].map(getMediaInputKind),
    ['image', 'video', 'audio', undefined, undefined],
  );
});
