// Tests logic nodes: which port gets the value, and how waits begin and end.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Value } from '../../src/graph/types.ts';
import { Suspend } from '../../src/nodes/define.ts';
import { makeContext, NOW_MS, runNode, startNode } from '../support/engine/node-context.ts';
import { jsonValue, listValue, numberValue, textValue } from '../support/engine/values.ts';

describe('logic:if', () => {
  const isTrue = async (value: Value | undefined, operator: string, compare = '') => {
    const result = await runNode('logic:if', { value, operator, compare, input: textValue('passed') });
    assert.deepEqual(Object.values(result), [textValue('passed')]);
    return Object.keys(result)[0] === 'true';
  };

  it('outputs the value only at the port of the result', async () => {
    const value = textValue('yes');
    assert.deepEqual(await runNode('logic:if', { value, compare: 'yes' }), { true: value });
    assert.deepEqual(await runNode('logic:if', { value, compare: 'no' }), { false: value });
  });

  it('compares with each operator', async () => {
    const cases: readonly (readonly [Value | undefined, string, string, boolean])[] = [
      [textValue('a'), 'equals', 'a', true],
      [textValue('a'), 'equals', 'A', false],
      [numberValue(1), 'equals', '1.0', true],
      [textValue('007'), 'equals', '7', false],
      [jsonValue({ a: [1] }), 'equals', '{ "a": [1] }', true],
      [jsonValue(true), 'equals', 'true', true],
      [undefined, 'equals', '', true],
      [textValue('a'), 'not_equals', 'b', true],
      [textValue('abc'), 'contains', 'bc', true],
      [listValue([textValue('x'), numberValue(2)]), 'contains', '2', true],
      [listValue([textValue('xy')]), 'contains', 'x', false],
      [jsonValue({ key: 'v' }), 'contains', '"key"', true],
      [numberValue(10), 'greater', '9', true],
      [textValue('10'), 'greater', '9', true],
      [numberValue(-1), 'less', '0', true],
      [numberValue(0), 'less', '0', false],
      [undefined, 'is_empty', '', true],
      [textValue(' \n'), 'is_empty', '', true],
      [listValue([]), 'is_empty', '', true],
      [jsonValue({}), 'is_empty', '', true],
      [numberValue(0), 'is_empty', '', false],
      [jsonValue(false), 'is_empty', '', false],
      [textValue('cat-42'), 'matches', '^cat-\\d+$', true],
      [textValue(`${'a'.repeat(5000)}!`), 'matches', '^(a|a)*$', false],
    ];
    for (const [value, operator, compare, expected] of cases) {
      assert.equal(
        await isTrue(value, operator, compare),
        expected,
        `${JSON.stringify(value)} ${operator} ${compare}`,
      );
    }
  });

  it('refuses to compare text as a number and refuses invalid patterns', async () => {
    await assert.rejects(isTrue(textValue('a'), 'greater', '1'), { code: 'not_a_number' });
    await assert.rejects(isTrue(numberValue(1), 'less', ''), { code: 'not_a_number' });
    await assert.rejects(isTrue(textValue('a'), 'matches', '['), { code: 'invalid_regex' });
  });
});

describe('logic:switch', () => {
  const cases = { cat: 'A cat', five: 5 };

  it('outputs at the first case that equals the value, otherwise at the default', async () => {
    assert.deepEqual(await runNode('logic:switch', { value: textValue('A cat'), cases }), {
      cat: textValue('A cat'),
    });
    assert.deepEqual(
      await runNode('logic:switch', { value: numberValue(5), input: textValue('in'), cases }),
      { five: textValue('in') },
    );
    assert.deepEqual(await runNode('logic:switch', { value: textValue('dog'), cases }), {
      default: textValue('dog'),
    });
  });
});

describe('logic:merge', () => {
  it('outputs the first value that has arrived', async () => {
    assert.deepEqual(await runNode('logic:merge', { input2: textValue('b'), input4: textValue('d') }), {
      output: textValue('b'),
    });
  });
});

describe('logic:delay', () => {
  it('outputs the input after the delay', async () => {
    const values = { input: textValue('x'), ms: 500 };
    const first = await startNode('logic:delay', values, makeContext());
    assert.ok(first instanceof Suspend);
    assert.deepEqual([first.kind, first.untilMs], ['time', NOW_MS + 500]);
    const ctx = makeContext({ suspended: { sinceMs: NOW_MS - 500, untilMs: NOW_MS } });
    assert.deepEqual(await runNode('logic:delay', values, ctx), { output: textValue('x') });
  });

  it('accepts a delay from zero to one day', async () => {
    assert.deepEqual(await runNode('logic:delay', { input: textValue('x'), ms: 0 }), {
      output: textValue('x'),
    });
    await assert.rejects(runNode('logic:delay', { input: textValue('x'), ms: 86_400_001 }), {
      code: 'invalid_config',
    });
  });
});

describe('logic:approval', () => {
  const values = { input: textValue('draft') };
  const runWithDecision = (decision: { approved: boolean; value?: string } | string) =>
    runNode(
      'logic:approval',
      values,
      makeContext({ suspended: { sinceMs: 0, untilMs: NOW_MS + 1, decision } }),
    );

  it('waits for a decision', async () => {
    const first = await startNode('logic:approval', { ...values, timeoutMs: 60_000 }, makeContext());
    assert.ok(first instanceof Suspend);
    assert.deepEqual([first.kind, first.untilMs], ['decision', NOW_MS + 60_000]);
    const second = await startNode(
      'logic:approval',
      values,
      makeContext({ suspended: { sinceMs: 0, untilMs: NOW_MS + 7 } }),
    );
    assert.ok(second instanceof Suspend);
    assert.deepEqual([second.kind, second.untilMs], ['decision', NOW_MS + 7]);
  });

  it('says whom it asks, and how', async () => {
    const settings = { message: 'Good?', assignees: [' Ana@Example.com', 7], editableInputs: true };
    const suspend = await startNode(
      'logic:approval',
      { ...values, ...settings, reminderHours: 24, timeoutDecision: 'reject' },
      makeContext(),
    );
    assert.ok(suspend instanceof Suspend);
    assert.deepEqual(suspend.approval, {
      message: 'Good?',
      assignees: ['ana@example.com', 7],
      reminderHours: 24,
      isEditable: true,
      timeoutDecision: 'reject',
    });
  });

  it('refuses assignees that are neither emails nor user IDs', async () => {
    const invalid = ['ana@example.com', ['ana'], [0], [1.5], [null], Array.from({ length: 21 }, () => 1)];
    for (const assignees of invalid)
      await assert.rejects(async () => startNode('logic:approval', { ...values, assignees }, makeContext()), {
        code: 'invalid_assignees',
      });
  });

  it('outputs its input or the value of the decision', async () => {
    assert.deepEqual(await runWithDecision({ approved: true }), { approved: textValue('draft') });
    assert.deepEqual(await runWithDecision({ approved: false }), { rejected: textValue('draft') });
    assert.deepEqual(await runWithDecision({ approved: true, value: 'edited' }), {
      approved: textValue('edited'),
    });
    await assert.rejects(runWithDecision('yes'), { code: 'invalid_decision' });
  });
});
