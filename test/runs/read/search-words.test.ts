// Tests that texts and searches are split into the same words, in any script.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addWords, splitSearch } from '../../../src/runs/read/search-words.ts';

const split = (text: string, maxWords = 100): readonly string[] => {
  const words = new Set<string>();
  addWords(words, text, maxWords);
  return [...words];
};

/** Returns whether the search finds the text. */
function finds(search: string, text: string): boolean {
  const words = split(text);
  return splitSearch(search, 8).every(({ text: searched, isPrefix }) =>
    words.some(word => (isPrefix ? word.startsWith(searched) : word === searched)),
  );
}

test('texts are split into distinct words without case and signs', () => {
  assert.deepEqual(split('A red, RED boat: 50% fog_light'), ['a', 'red', 'boat', '50', 'fog', 'light']);
  assert.deepEqual(split('один два три', 2), ['один', 'два']);
  assert.deepEqual(split('\0 | & !'), []);
});

test('a search finds words in any order, and their beginnings', () => {
  for (const search of ['boat red', 'BOA', 're bo', 'a boat']) assert.ok(finds(search, 'A red boat'), search);
  for (const search of ['oat', 'boats', 'b', 'red car']) assert.ok(!finds(search, 'A red boat'), search);
  assert.ok(finds('закат ВОЛН', 'Большая волна на закате'));
  assert.ok(!finds('море', 'Большая волна'));
});

test('a search finds parts of texts in scripts without spaces', () => {
  const text = '雪の中の狐が走るphoto';
  for (const search of ['狐', '狐が', '中の狐', '走る 雪', 'photo', 'る'])
    assert.ok(finds(search, text), search);
  for (const search of ['狐走', '犬', 'photos']) assert.ok(!finds(search, text), search);
});

test('long words are cut without half characters', () => {
  for (const word of ['𝔸'.repeat(100), `a${'𐐷'.repeat(100)}`]) {
    const [cut = ''] = split(word);
    assert.ok(cut.isWellFormed() && cut.length <= 40);
    assert.ok(finds(word, word));
  }
});
