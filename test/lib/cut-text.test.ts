// Tests that cut texts end with a whole character, and how characters are counted.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { cutIntoParts, cutText, hasAtMost } from '../../src/lib/cut-text.ts';

it('cuts between characters', () => {
  assert.equal(cutText('ab', 2), 'ab');
  assert.equal(cutText('abc', 2), 'ab');
  assert.equal(cutText('a🦊b', 1), 'a');
  assert.equal(cutText('a🦊b', 2), 'a');
  assert.equal(cutText('a🦊b', 3), 'a🦊');
  assert.equal(cutText('🦊', 1), '');
  assert.equal(cutText('ä', 0), '');
});

it('cuts into parts that end with whole characters', () => {
  assert.deepEqual([...cutIntoParts('abcde', 2)], ['ab', 'cd', 'e']);
  assert.deepEqual([...cutIntoParts('a🦊b🦊', 2)], ['a🦊', 'b🦊']);
  assert.deepEqual([...cutIntoParts('', 2)], []);
});

it('counts an emoji as one character', () => {
  const cases: readonly (readonly [string, number, boolean])[] = [
    ['', 0, true],
    ['ab', 2, true],
    ['abc', 2, false],
    ['🦊🦊', 2, true],
    ['🦊🦊a', 2, false],
    ['🦊🦊🦊', 2, false],
  ];
  for (const [text, max, expected] of cases) assert.equal(hasAtMost(text, max), expected, `${text} ${max}`);
});
