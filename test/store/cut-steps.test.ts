// Tests how the node states of a large run are shortened for display.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cutSteps, type StepText } from '../../src/store/cut-steps.ts';

const NUMBER = { type: 'NUMBER', number: 5 };
const createText = (content: string) => ({ type: 'TEXT', text: content });

const createRow = (seq: number, ...steps: readonly object[]): StepText => ({
  seq,
  steps: JSON.stringify(steps),
});
const completed = (nodeId: string, outputs: object, more: object = {}) => ({
  nodeId,
  status: 'COMPLETED',
  outputs,
  ...more,
});

const cut = (
  rows: readonly StepText[],
  more: { afterSeq?: number; nodeId?: string; maxBytes?: number } = {},
) =>
  JSON.parse(cutSteps({ rows, afterSeq: -1, maxBytes: 10_000, ...more })) as {
    seq: number;
    step: {
      nodeId: string;
      outputs?: Record<string, Record<string, unknown>>;
      truncated?: true;
      items?: unknown;
    };
  }[];

describe('cutSteps', () => {
  it('numbers states in order and keeps short ones unchanged, whatever characters they contain', () => {
    const steps = ['"\\ \u2028 ä€😀 \ud83d', '[{,]}'].map(content =>
      completed(content, { [content]: createText(content) }, { provider: { [content]: [content] } }),
    );
    assert.deepEqual(cut([createRow(1, ...steps), createRow(2, steps[0] ?? {})]), [
      { seq: 0, step: steps[0] },
      { seq: 1, step: steps[1] },
      { seq: 2, step: steps[0] },
    ]);
  });

  it('cuts the ends of long outputs, and marks the state', () => {
    const short = completed('short', { text: createText('a') });
    const long = completed('long', {
      a: createText('é"\n'.repeat(50_000)),
      b: NUMBER,
      c: { type: 'JSON', json: [1, 'x'.repeat(50_000)] },
    });
    const [first, second] = cut([createRow(1, short, long)]);
    assert.deepEqual(first?.step, short);
    const { a, b, c } = second?.step.outputs ?? {};
    assert.equal(second?.step.truncated, true);
    assert.match(String(a?.text), /^(?:é"\n){500,}/);
    assert.deepEqual(b, NUMBER);
    assert.match(String(c?.json), /^\[1,"x{2000,}$/);
    assert.ok(JSON.stringify(second).length < 20_000);
  });

  it('divides the limit among the items of a list', () => {
    const items = Array.from({ length: 4 }, (_, index) => createText(`${index}`.repeat(9000)));
    const [state] = cut([
      createRow(0, completed('list', { list: { type: 'LIST', items: [...items, createText('short')] } })),
    ]);
    const shown = state?.step.outputs?.list?.items as readonly { text: string }[];
    assert.deepEqual(
      shown.map(({ text: content }) => content[0]),
      ['0', '1', '2', '3', 's'],
    );
    assert.deepEqual([shown[0]?.text.length, shown[4]?.text], [2000, 'short']);
  });

  it('replaces the results of items by whether they have ended', () => {
    const items = [{ text: createText('x'.repeat(50_000)) }, null, true];
    const [state] = cut([createRow(0, { nodeId: 'mapped', status: 'RUNNING', items })]);
    assert.deepEqual(state?.step, { nodeId: 'mapped', status: 'RUNNING', items: [true, null, true] });
  });

  it('returns the states after a number, or the newest state of a node', () => {
    const rows = [
      createRow(2, completed('a', {}), completed('b', {}), completed('a', { n: NUMBER })),
      createRow(3, completed('b', {})),
    ];
    const listStates = (more: object) => cut(rows, more).map(({ seq, step }) => `${seq} ${step.nodeId}`);
    assert.deepEqual(listStates({ afterSeq: 0 }), ['1 b', '2 a', '3 b']);
    assert.deepEqual(listStates({ nodeId: 'a' }), ['2 a']);
    assert.deepEqual(listStates({ nodeId: 'none' }), []);
  });
});
