// Tests line breaking and fitting, with letters that are all half an em wide.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addEllipsis, fitText } from '../../src/render/text/text-layout.ts';

const measure = (text: string): number => Array.from(text).length / 2;
const box = { width: 100, height: 100, minSize: 10, maxSize: 10, lineHeight: 1, maxLines: 10 };
// At size 10 a letter is 5 wide, so 20 letters fit on a line.
const fitLines = (text: string, change: object = {}) => fitText(text, { ...box, ...change }, measure).lines;

describe('fitText', () => {
  it('breaks between words, never before punctuation', () => {
    assert.deepEqual(fitLines('The quick brown fox, and a dog!'), ['The quick brown', 'fox, and a dog!']);
    assert.deepEqual(fitLines('It is (really) “quoted”.', { width: 60 }), ['It is', '(really)', '“quoted”.']);
  });

  it('keeps the line breaks of the text', () => {
    assert.deepEqual(fitLines('one\ntwo\r\n\nthree'), ['one', 'two', '', 'three']);
  });

  it('breaks after a hyphen, and inside a word only if it is longer than a line', () => {
    assert.deepEqual(fitLines('well-established-method', { width: 60 }), ['well-', 'established-', 'method']);
    assert.deepEqual(fitLines('x'.repeat(45)).join(''), 'x'.repeat(45));
    assert.ok(fitLines('x'.repeat(45)).every(line => line.length <= 20));
  });

  it('breaks scripts that are written without spaces', () => {
    const text = '狐狸跳过了懒狗。然后它睡着了，梦见了月亮和星星。';
    const lines = fitLines(text);
    assert.equal(lines.join(''), text);
    assert.ok(lines.length > 1 && lines.every(line => !/^[。，]/.test(line)));
  });

  it('balances lines, so that no word is on a line of its own', () => {
    assert.deepEqual(fitLines('aaaa bbbb cccc dddd e'), ['aaaa bbbb', 'cccc dddd e']);
  });

  it('takes the largest size at which the text fits', () => {
    const { size, lines } = fitText('one two', { ...box, minSize: 5, maxSize: 80 }, measure);
    assert.deepEqual([size, lines], [50, ['one', 'two']]);
    assert.equal(fitText('one', { ...box, minSize: 5, maxSize: 40 }, measure).size, 40);
  });

  it('cuts off overflow at the smallest size with an ellipsis', () => {
    const lines = fitLines('word '.repeat(200), { maxLines: 2 });
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', /word…$/);
    assert.ok(lines.every(line => line.length <= 20));
  });

  it('handles empty and endless text', () => {
    assert.deepEqual(fitLines(''), ['']);
    assert.equal(fitLines('a\n'.repeat(100_000)).length, 10);
    assert.deepEqual(fitLines('\u0301'.repeat(100_000)), ['\u0301'.repeat(4000)]);
  });
});

describe('ellipsize', () => {
  it('shortens to the width, between whole characters', () => {
    assert.equal(addEllipsis('short', 10, measure), 'short');
    assert.equal(addEllipsis('one two three', 4, measure), 'one two…');
    assert.equal(addEllipsis('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 6, measure), '👩‍👩‍👧‍👦…');
  });
});
