// Tests captions: parsing SRT and WebVTT, and splitting into pages.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSubtitles, readCaptionPages } from '../../../src/render/timeline/captions.ts';

const SRT =
  '1\r\n00:00:01,000 --> 00:00:02,500\r\nHello <b>there</b>\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nTwo\r\nlines\r\n';
const VTT = 'WEBVTT\n\nNOTE nothing\n\nintro\n00:01.000 --> 00:02.500 align:start\nHello there\n';

describe('parseSubtitles', () => {
  it('reads SRT and WebVTT without tags', () => {
    assert.deepEqual(parseSubtitles(SRT, 'srt'), [
      { text: 'Hello there', start: 1, end: 2.5 },
      { text: 'Two lines', start: 3, end: 4 },
    ]);
    assert.deepEqual(parseSubtitles(VTT, 'vtt'), [{ text: 'Hello there', start: 1, end: 2.5 }]);
  });

  it('decodes entities in WebVTT', () => {
    const cue = '00:01.000 --> 00:02.500\n&lt;i&gt; A &amp;lt;&nbsp;B&lrm; &copy;';
    const parseText = (format: 'srt' | 'vtt') => parseSubtitles(cue, format)[0]?.text;
    assert.equal(parseText('vtt'), '<i> A &lt;\u00a0B\u200e &copy;');
    assert.equal(parseText('srt'), '&lt;i&gt; A &amp;lt;&nbsp;B&lrm; &copy;');
  });

  it('reads the files of editors and translators that deviate from the format', () => {
    const expected = [
      { text: 'Hello world', start: 0, end: 2 },
      { text: 'Second', start: 2, end: 4 },
    ];
    const srt = '1\n00:00:00,000 --> 00:00:02,000\nHello world\n\n2\n00:00:02,000 --> 00:00:04,000\nSecond\n';
    const files = {
      'blank lines and a comment at the start': `\n \n# exported\n${srt}`,
      'a byte order mark': `\ufeff${srt}`,
      'CR as line end': srt.replaceAll('\n', '\r'),
      'spaces in the blank line': srt.replace('\n\n', '\n \t\n'),
      'no blank line': srt.replace('\n\n', '\n'),
      'a blank line in a text': srt.replace('Hello world', 'Hello\n\nworld'),
      'spaces in times': srt.replaceAll(':', ': ').replaceAll(',', ', '),
      'periods in times': srt.replaceAll(',', '.'),
      'no fractions': srt.replaceAll(',000', ''),
      'short arrows': srt.replaceAll('-->', '->'),
      'tags and positions': srt
        .replaceAll(',000\n', ',000  X1:100 X2:200\n')
        .replace('Hello', '<font color="#fff">{\\an8}Hello</font>'),
    };
    for (const [name, text] of Object.entries(files))
      assert.deepEqual(parseSubtitles(text, 'srt'), expected, name);
  });

  it('keeps numbers and signs that belong to a text', () => {
    const parseText = (text: string, format: 'srt' | 'vtt' = 'srt') =>
      parseSubtitles(`1\n00:01.000 --> 00:02.000\n${text}\n\n2\n00:03.000 --> 00:04.000\nx`, format)[0]?.text;
    assert.equal(parseText('1984'), '1984');
    assert.equal(parseText('I <3 you, a < b > c'), 'I <3 you, a < b > c');
    assert.equal(
      parseText('<v Bob>It&#39;s &quot;<00:01.500><c.loud>so</c>&quot; &#x1F44B;', 'vtt'),
      'It\'s "so" 👋',
    );
    assert.equal(parseText('one\n\nNOTE two', 'vtt'), 'one');
  });

  it('returns no captions for any other format', () => {
    assert.deepEqual(
      parseSubtitles('nothing here\n\n--> \n\n00:00:05,000 --> 00:00:01,000\nbackwards', 'srt'),
      [],
    );
  });
});

describe('readCaptionPages', () => {
  const words = 'one two three four. five six'
    .split(' ')
    .map((text, index) => ({ text, start: index / 2, end: index / 2 + 0.4 }));
  const texts = (track: Parameters<typeof readCaptionPages>[0]) =>
    readCaptionPages(track).map(page => page.words.map(({ text }) => text).join(' '));

  it('returns pages of the given number of words that end with a sentence', () => {
    assert.deepEqual(texts({ words, maxWords: 3 }), ['one two', 'three four.', 'five six']);
    assert.deepEqual(
      texts({ words, mode: 'word' }),
      words.map(({ text }) => text),
    );
  });

  it('keeps the lines of subtitles without overlaps', () => {
    assert.deepEqual(texts({ srt: SRT }), ['Hello there', 'Two lines']);
    const pages = readCaptionPages({ words, maxWords: 2 });
    for (const [index, page] of pages.entries()) assert.ok(page.end <= (pages[index + 1]?.start ?? 99));
  });

  it('keeps the words of overlapping lines together', () => {
    const cues = [
      { text: 'alpha beta gamma delta', start: 0, end: 4 },
      { text: 'ONE TWO THREE', start: 1, end: 4 },
      { text: 'four', start: 1, end: 2 },
    ];
    assert.deepEqual(
      readCaptionPages({ cues, offset: 10 }).map(({ start, end }) => [start, end]),
      [
        [10, 11],
        [11, 14.35],
      ],
    );
    assert.deepEqual(texts({ cues }), ['alpha beta gamma delta', 'ONE TWO THREE four']);
    assert.deepEqual(texts({ cues, maxWords: 2 }), ['alpha beta', 'ONE TWO', 'gamma delta', 'THREE four']);
  });
});
