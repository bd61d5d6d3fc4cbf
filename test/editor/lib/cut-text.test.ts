// Tests that shortened texts end with a whole character.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { shorten } from '../../../editor/lib/cut-text.ts';

it('shortens texts between characters', () => {
  assert.equal(shorten('abc', 3), 'abc');
  assert.equal(shorten('abcd', 3), 'abc…');
  assert.equal(shorten('ab🦊d', 3), 'ab…');
  assert.equal(shorten(`${'x'.repeat(99)}👩‍👩‍👧!`, 102), `${'x'.repeat(99)}…`);
  assert.equal(shorten(`e${'\u0301'.repeat(200)}`, 100).length, 101);
});
