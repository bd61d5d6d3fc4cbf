// Tests the search for texts, compared with that of JavaScript.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  findAll,
  foldCase,
  includesText,
  isRepetitive,
  replaceAllText,
  replaceInAnyCase,
  splitText,
} from '../../src/lib/find-text.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';

/** Makes the search for repetitive patterns linear, because the product of the lengths is large. */
const LONG = 'z'.repeat(3_000_000);

it('finds what JavaScript finds, in short and in long texts', () => {
  const random = createSeededRandom(7);
  const letters = (length: number): string =>
    Array.from({ length }, () => 'ab'[Math.floor(random() * 2)]).join('');
  for (let round = 0; round < 300; round++) {
    const pattern = letters(4 + Math.floor(random() * 4));
    const text = letters(60);
    assert.deepEqual(splitText(text, pattern), text.split(pattern), `${pattern} in ${text}`);
    assert.equal(includesText(text, pattern), text.includes(pattern));
  }
  for (let round = 0; round < 5; round++) {
    const pattern = letters(4).repeat(6);
    const text = letters(60) + pattern + pattern.slice(1) + LONG + letters(60) + pattern;
    assert.deepEqual(splitText(text, pattern), text.split(pattern), pattern);
    assert.equal(replaceAllText(text, pattern, '…'), text.replaceAll(pattern, '…'));
  }
  assert.deepEqual([...findAll('aaaa', 'aa')], [0, 2]);
  assert.deepEqual([...findAll('a', '')], []);
  assert.deepEqual([includesText('a', ''), includesText('a', 'ab')], [true, false]);
});

it('needs no more comparisons for repetitive texts', () => {
  const text = 'a'.repeat(900_000);
  const pattern = `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}`;
  // Without a linear search, this takes longer than the limit of a test.
  for (let round = 0; round < 50; round++) assert.equal(includesText(text, pattern), false);
  assert.equal(includesText(`${text}b${text}`, pattern), true);
});

it('recognizes patterns that repeat themselves', () => {
  for (const pattern of ['a'.repeat(20), `b${'a'.repeat(20)}`, 'ab'.repeat(20)])
    assert.equal(isRepetitive(pattern), true, pattern);
  for (const pattern of ['', 'a', 'sk-live-0123456789abcdef', 'the quick brown fox jumps over the lazy dog'])
    assert.equal(isRepetitive(pattern), false, pattern);
});

it('replaces texts in any case of letters', () => {
  const patterns = ['geheimÄ', 'ΟΔΟΣ', 'weiß', 'İx'].map(foldCase);
  const text = 'a GEHEIMä b οδος c WEIẞ d İX e geheim';
  assert.equal(replaceInAnyCase(text, patterns, '…'), 'a … b … c … d … e geheim');
  assert.equal(replaceInAnyCase('aXbxXa', ['x'], '…'), 'a…b……a');
  assert.equal(foldCase('🦊İß').length, '🦊İß'.length);
});
