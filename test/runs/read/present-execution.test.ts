// Tests how the values of a node's output ports are presented.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Step } from '../../../src/engine/types.ts';
import type { Values } from '../../../src/graph/types.ts';
import { presentResult } from '../../../src/runs/read/present-execution.ts';

function present(outputs: Values): Record<string, unknown> {
  const step = { outputs } as unknown as Step;
  const {
    executionId: _,
    finishedAt: __,
    ...values
  } = presentResult(step, { id: 'ex_1', finished_at: null });
  return values;
}

it('presents the value of a single port without its name', () => {
  assert.deepEqual(present({ out: { type: 'TEXT', text: 'a' } }), { text: 'a' });
  const items = [{ type: 'NUMBER', number: 1 } as const, { type: 'NUMBER', number: 2 } as const];
  assert.deepEqual(present({ out: { type: 'LIST', items } }), { values: [1, 2] });
});

it('presents the values of several ports by their names too', () => {
  const media = { url: 'https://example.com/a.png', contentType: 'image/png' };
  const outputs = {
    title: { type: 'TEXT', text: 'a' },
    body: { type: 'TEXT', text: 'b' },
    width: { type: 'NUMBER', number: 3 },
    picture: { type: 'IMAGE', media },
    words: { type: 'LIST', items: [{ type: 'TEXT', text: 'c' }] },
  } as unknown as Values;
  assert.deepEqual(present(outputs), {
    ports: [
      { id: 'title', type: 'TEXT', text: 'a' },
      { id: 'body', type: 'TEXT', text: 'b' },
      { id: 'width', type: 'NUMBER', value: 3 },
      { id: 'picture', type: 'IMAGE', url: media.url },
      { id: 'words', type: 'LIST', value: ['c'] },
    ],
    text: 'a',
    value: 3,
    outputUrl: media.url,
    texts: ['c'],
  });
});
