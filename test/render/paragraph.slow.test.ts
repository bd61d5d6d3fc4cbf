// Tests how text is broken into lines and fitted, with letters that are all equally wide.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSurface } from '../../src/render/paint/canvas.ts';
import { layOut } from '../../src/render/text/paragraph.ts';
import { createPlainText } from '../../src/render/text/plain-text.ts';
import type { TextContent } from '../../src/render/timeline/draw-list.ts';

const { ctx } = createSurface(16, 16);
const STYLE = {
  weight: 400,
  align: 'left',
  size: 10,
  lineHeight: 1,
  maxLines: 10,
  color: '#000000',
} as const;
// At size 10 a letter is 6 wide, so 20 letters fit on a line.
const BOX = { width: 120, height: 100 };

function fit(text: string, change: Partial<TextContent> = {}, { width, height } = BOX) {
  const content = createPlainText(text, STYLE);
  const runs = content.runs.map(run => ({ ...run, family: 'JetBrains Mono' }));
  const { size, lines } = layOut(ctx, { ...content, runs, ...change }, width, height);
  return { size, lines: lines.map(({ pieces }) => pieces.map(piece => piece.text).join('')) };
}

const fitLines = (text: string, change: Partial<TextContent> = {}, width = BOX.width): string[] =>
  fit(text, change, { ...BOX, width }).lines;

describe('layOut', () => {
  it('breaks lines between words, never before punctuation', () => {
    assert.deepEqual(fitLines('The quick brown fox, and a dog!'), ['The quick brown', 'fox, and a dog!']);
    assert.deepEqual(fitLines('It is (really) “quoted”.', {}, 72), ['It is', '(really)', '“quoted”.']);
  });

  it('keeps the line breaks of the text', () => {
    assert.deepEqual(fitLines('one\ntwo\r\n\nthree'), ['one', 'two', '', 'three']);
  });

  it('breaks lines after a hyphen, and inside a word that is longer than a line', () => {
    assert.deepEqual(fitLines('well-established-method', {}, 72), ['well-', 'established-', 'method']);
    assert.deepEqual(fitLines('x'.repeat(45)).join(''), 'x'.repeat(45));
    assert.ok(fitLines('x'.repeat(45)).every(line => line.length <= 20));
  });

  it('breaks scripts that are written without spaces', () => {
    const text = '狐狸跳过了懒狗。然后它睡着了，梦见了月亮和星星。';
    const lines = fitLines(text);
    assert.equal(lines.join(''), text);
    assert.ok(lines.length > 1 && lines.every(line => !/^[。，]/.test(line)));
  });

  it('balances lines, so that no word is alone on a line', () => {
    assert.deepEqual(fitLines('aaaa bbbb cccc dddd e'), ['aaaa bbbb', 'cccc dddd e']);
    assert.deepEqual(fitLines('aaaa bbbb cccc dddd e', { isBalanced: false }), ['aaaa bbbb cccc dddd', 'e']);
  });

  it('uses the largest size at which the text fits', () => {
    const { size, lines } = fit('one two', { minSize: 5, size: 80 }, { width: 100, height: 100 });
    assert.deepEqual([Math.round(size), lines], [50, ['one', 'two']]);
    assert.equal(fit('one', { minSize: 5, size: 40 }).size, 40);
  });

  it('cuts off overflow at the smallest size with an ellipsis', () => {
    const lines = fitLines('word '.repeat(200), { maxLines: 2 });
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', /word…$/);
    assert.ok(lines.every(line => line.length <= 20));
  });

  it('cuts a line between whole characters', () => {
    const oneLine = { maxLines: 1 };
    assert.deepEqual(fitLines('short', oneLine), ['short']);
    assert.deepEqual(fitLines('one two three', oneLine, 48), ['one two…']);
    assert.deepEqual(fitLines('e\u0301'.repeat(20), oneLine, 30), [`${'e\u0301'.repeat(4)}…`]);
  });

  it('places right-to-left text from the right in the order of the text', () => {
    const content = createPlainText('', STYLE);
    const [run] = content.runs;
    const lay = (texts: readonly string[], align: TextContent['align']) => {
      const runs = texts.map(text => ({ ...run, text }) as TextContent['runs'][number]);
      const [line] = layOut(ctx, { ...content, runs, align, isBalanced: false }, 120, 100).lines;
      return line?.pieces.map(({ text, x, width }) => ({ text, left: x, right: x + width })) ?? [];
    };
    const [first, second] = lay(['שלום ', 'עולם'], 'start');
    assert.deepEqual([first?.text, second?.text], ['שלום ', 'עולם']);
    assert.deepEqual([second?.left, second?.right], [0, first?.left]);
    const justified = lay(['שלום עולם '.repeat(10)], 'justify');
    assert.equal(justified[0]?.text, 'שלום');
    assert.ok(Math.abs(justified.at(-1)?.left ?? -1) < 0.01);
    assert.ok(Math.abs((justified[0]?.right ?? 0) - 120) < 0.01);
  });

  it('accepts empty and endless text', () => {
    assert.deepEqual(fitLines(''), ['']);
    assert.equal(fitLines('a\n'.repeat(100_000)).length, 10);
    assert.deepEqual(fitLines('\u0301'.repeat(100_000)), ['\u0301'.repeat(4000)]);
  });
});
