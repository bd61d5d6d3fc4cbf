// Tests the width, truncation and padding of texts on a terminal, with colors and wide characters.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  alignColumns,
  cleanText,
  getTextWidth,
  padText,
  truncateText,
} from '../../../src/cli/terminal/text-width.ts';

const RED = '\u001b[31m';
const DEFAULT_COLOR = '\u001b[39m';

describe('getTextWidth', () => {
  it('counts letters, wide characters, emoji, colors and combining marks', () => {
    assert.equal(getTextWidth('Graph'), 5);
    assert.equal(getTextWidth('図形'), 4);
    assert.equal(getTextWidth('🌅'), 2);
    assert.equal(getTextWidth('e\u0301'), 1);
    assert.equal(getTextWidth(`${RED}red${DEFAULT_COLOR}`), 3);
    assert.equal(getTextWidth('✔━─⠋…'), 5);
    assert.equal(getTextWidth('👩‍👩‍👧‍👦🇵🇹'), 4);
  });
});

describe('truncateText', () => {
  it('replaces the text beyond the width by an ellipsis', () => {
    assert.equal(truncateText('postcard', 8), 'postcard');
    assert.equal(truncateText('postcard', 7), 'postca…');
    assert.equal(getTextWidth(truncateText('図形図形図形', 7)), 7);
    assert.equal(truncateText('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3), '👩‍👩‍👧‍👦…');
  });

  it('resets the color of a truncated text', () => {
    const truncated = truncateText(`${RED}a long red line${DEFAULT_COLOR}`, 6);
    assert.equal(getTextWidth(truncated), 6);
    assert.ok(truncated.endsWith('\u001b[0m'));
  });
});

describe('cleanText', () => {
  it('returns one line without control characters', () => {
    assert.equal(cleanText('a\u001b[2Jb\u0007\r\nc\td \ud800 '), 'ab c d');
  });
});

describe('alignColumns', () => {
  it('aligns the columns of all rows', () => {
    assert.deepEqual(
      alignColumns([
        ['a', 'bb', 'c'],
        ['図', 'b', 'c'],
      ]),
      ['a   bb  c', '図  b   c'],
    );
    assert.equal(padText('図', 4), '図  ');
  });
});
