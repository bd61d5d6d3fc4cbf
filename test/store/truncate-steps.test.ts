// Tests how the steps of a large run are truncated for display.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type StepText, truncateSteps } from '../../src/store/truncate-steps.ts';

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

const truncate = (
  rows: readonly StepText[],
  more: { afterSeq?: number; nodeId?: string; maxBytes?: number } = {},
) =>
  JSON.parse(truncateSteps({ rows, afterSeq: -1, maxBytes: 10_000, ...more })) as {
    seq: number;
    step: {
      nodeId: string;
      outputs?: Record<string, Record<string, unknown>>;
      truncated?: true;
      items?: unknown;
    };
  }[];

describe('truncateSteps', () => {
  it('numbers steps in order and leaves short steps unchanged', () => {
    const steps = ['"\\ \u2028 ä€😀 \ud83d', '[{,]}'].map(content =>
      completed(content, { [content]: createText(content) }, { provider: { [content]: [content] } }),
    );
    assert.deepEqual(truncate([createRow(1, ...steps), createRow(2, steps[0] ?? {})]), [
      { seq: 0, step: steps[0] },
      { seq: 1, step: steps[1] },
      { seq: 2, step: steps[0] },
    ]);
  });

  it('truncates long outputs and marks their steps as truncated', () => {
    const shortStep = completed('short', { text: createText('a') });
    const longStep = completed('long', {
      a: createText('é"\n'.repeat(50_000)),
      b: NUMBER,
      c: { type: 'JSON', json: [1, 'x'.repeat(50_000)] },
    });
    const [first, second] = truncate([createRow(1, shortStep, longStep)]);
    assert.deepEqual(first?.step, shortStep);
    const { a, b, c } = second?.step.outputs ?? {};
    assert.equal(second?.step.truncated, true);
    assert.match(String(a?.text), /^(?:é"\n){500,}/);
    assert.deepEqual(b, NUMBER);
    assert.match(String(c?.json), /^\[1,"x{2000,}$/);
    assert.ok(JSON.stringify(second).length < 20_000);
  });

  it('divides the limit among the items of a list', () => {
    const items = Array.from({ length: 4 }, (_, index) => createText(`${index}`.repeat(9000)));
    const [row] = truncate([
      createRow(0, completed('list', { list: { type: 'LIST', items: [...items, createText('short')] } })),
    ]);
    const shownItems = row?.step.outputs?.list?.items as readonly { text: string }[];
    assert.deepEqual(
      shownItems.map(({ text: content }) => content[0]),
      ['0', '1', '2', '3', 's'],
    );
    assert.deepEqual([shownItems[0]?.text.length, shownItems[4]?.text], [2000, 'short']);
  });

  it('replaces the results of items by true', () => {
    const items = [{ text: createText('x'.repeat(50_000)) }, null, true];
    const [row] = truncate([createRow(0, { nodeId: 'mapped', status: 'RUNNING', items })]);
    assert.deepEqual(row?.step, { nodeId: 'mapped', status: 'RUNNING', items: [true, null, true] });
  });

  it('returns the steps after a sequence number or the newest step of a node', () => {
    const rows = [
      createRow(2, completed('a', {}), completed('b', {}), completed('a', { n: NUMBER })),
      createRow(3, completed('b', {})),
    ];
    const listSteps = (options: object) =>
      truncate(rows, options).map(({ seq, step }) => `${seq} ${step.nodeId}`);
    assert.deepEqual(listSteps({ afterSeq: 0 }), ['1 b', '2 a', '3 b']);
    assert.deepEqual(listSteps({ nodeId: 'a' }), ['2 a']);
    assert.deepEqual(listSteps({ nodeId: 'none' }), []);
  });
});
