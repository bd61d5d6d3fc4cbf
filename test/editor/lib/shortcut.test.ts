// Tests shortcuts on keyboards of several layouts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getDigit, type KeyPress, matchesShortcut } from '../../../editor/lib/shortcut.ts';

const press = (key: string, code: string, modifiers: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...modifiers,
});
const SHIFT = { shiftKey: true };
const CTRL = { ctrlKey: true };

describe('a shortcut', () => {
  it('with a letter follows the character if it is Latin, otherwise the position of the key', () => {
    const typedZs = [
      press('z', 'KeyZ', CTRL), // US
      press('я', 'KeyZ', CTRL), // Russian
      press('ζ', 'KeyZ', CTRL), // Greek
      press('ז', 'KeyZ', CTRL), // Hebrew
      press('z', 'KeyY', CTRL), // German
      press('z', 'KeyW', CTRL), // French
      press('Z', 'KeyZ', { metaKey: true }), // with Caps Lock
    ];
    for (const typed of typedZs) {
      assert.ok(matchesShortcut('Mod+Z', typed), typed.key);
      assert.ok(!matchesShortcut('Mod+Y', typed), typed.key);
      assert.ok(!matchesShortcut('Shift+Mod+Z', typed), typed.key);
      assert.ok(matchesShortcut('Shift+Mod+Z', { ...typed, shiftKey: true }), typed.key);
    }
    assert.ok(matchesShortcut('N', press('т', 'KeyN')));
    assert.ok(!matchesShortcut('Mod+Z', press('y', 'KeyZ', CTRL)));
    assert.ok(!matchesShortcut('N', press('n', 'KeyN', CTRL)));
  });

  it('with a digit follows the position of the key', () => {
    // US, UK, German, French, Russian
    for (const key of ['@', '"', '"', '2', '"']) {
      assert.ok(matchesShortcut('Shift+2', press(key, 'Digit2', SHIFT)), key);
      assert.ok(!matchesShortcut('Shift+1', press(key, 'Digit2', SHIFT)), key);
    }
    assert.ok(!matchesShortcut('Shift+2', press('2', 'Digit2')));
    assert.equal(getDigit(press('é', 'Digit2')), 2);
    assert.equal(getDigit(press('3', 'Numpad3')), 3);
    assert.equal(getDigit(press('a', 'KeyA')), undefined);
  });

  it('with a sign follows the character, with or without Shift', () => {
    assert.ok(matchesShortcut('/', press('/', 'Slash')));
    assert.ok(matchesShortcut('/', press('/', 'Digit7', SHIFT)));
    assert.ok(matchesShortcut('?', press('?', 'Slash', SHIFT)));
    assert.ok(!matchesShortcut('/', press('7', 'Digit7')));
  });

  it('with a named key needs exactly its modifiers', () => {
    assert.ok(matchesShortcut('Delete', press('Delete', 'Delete')));
    assert.ok(!matchesShortcut('Delete', press('Delete', 'Delete', SHIFT)));
    assert.ok(matchesShortcut('Mod+Enter', press('Enter', 'Enter', CTRL)));
  });
});
