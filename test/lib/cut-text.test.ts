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

it('cuts no sequence of emoji, and no letter from its marks', () => {
  // A family, a flag, a skin tone, a keycap; Latin, Devanagari, Thai and Hangul.
  for (const character of ['👩‍👩‍👧', '🇵🇹', '👍🏽', '1️⃣', 'e\u0301', 'क्षि', 'กำ', '\u1112\u1161\u11ab', '\r\n'])
    for (let length = 0; length < character.length; length++) {
      assert.equal(cutText(`${character}b`, length), '', character);
      const text = `${'x'.repeat(100)}${character}${character}`;
      assert.equal(cutText(text, 100 + length), 'x'.repeat(100), character);
      assert.equal(
        cutText(text, 100 + character.length + length),
        `${'x'.repeat(100)}${character}`,
        character,
      );
    }
  const endless = `e${'\u0301'.repeat(1000)}`;
  assert.equal(cutText(endless, 500), endless.slice(0, 500));
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
