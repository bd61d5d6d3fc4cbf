// Tests captions: parsing SRT and WebVTT, and splitting into pages.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSubtitles, readCaptionPages } from '../../../src/render/timeline/captions.ts';

const SRT =
  '1\r\n00:00:01,000 --> 00:00:02,500\r\nHello <b>there</b>\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nTwo\r\nlines\r\n';
const VTT = 'WEBVTT\n\nNOTE nothing\n\nintro\n00:01.000 --> 00:02.500 align:start\nHello there\n';

describe('timed text', () => {
  it('is read from SRT and WebVTT, without tags', () => {
    assert.deepEqual(parseSubtitles(SRT), [
      { text: 'Hello there', start: 1, end: 2.5 },
      { text: 'Two lines', start: 3, end: 4 },
    ]);
    assert.deepEqual(parseSubtitles(VTT), [{ text: 'Hello there', start: 1, end: 2.5 }]);
  });

  it('in any other format has no captions', () => {
    assert.deepEqual(parseSubtitles('nothing here\n\n--> \n\n00:00:05,000 --> 00:00:01,000\nbackwards'), []);
  });
});

describe('pages', () => {
  const words = 'one two three four. five six'
    .split(' ')
    .map((text, index) => ({ text, start: index / 2, end: index / 2 + 0.4 }));
  const texts = (track: Parameters<typeof readCaptionPages>[0]) =>
    readCaptionPages(track).map(page => page.words.map(({ text }) => text).join(' '));

  it('have the given number of words, and end with a sentence', () => {
    assert.deepEqual(texts({ words, maxWords: 3 }), ['one two', 'three four.', 'five six']);
    assert.deepEqual(
      texts({ words, mode: 'word' }),
      words.map(({ text }) => text),
    );
  });

  it('keep the lines of subtitles, and never overlap', () => {
    assert.deepEqual(texts({ srt: SRT }), ['Hello there', 'Two lines']);
    const pages = readCaptionPages({ words, maxWords: 2 });
    for (const [index, page] of pages.entries()) assert.ok(page.end <= (pages[index + 1]?.start ?? 99));
  });
});
