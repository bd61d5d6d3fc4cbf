// Tests how transcriptions of different servers become captions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTranscript, toCaptions } from '../../src/nodes/transcript.ts';

const WHOLE = { offset: 0, seconds: 60 };
const captionsOf = async (...replies: readonly unknown[]) =>
  toCaptions(
    await Promise.all(
      replies.map((reply, index) => readTranscript(reply, { offset: index * 60, seconds: 60 })),
    ),
  );

describe('captions', () => {
  it('are words if the server times them', async () => {
    const words = [
      { word: 'Good', start: 0.1, end: 0.4 },
      { word: 'morning', start: 0.4, end: 0.9 },
    ];
    assert.deepEqual(await captionsOf({ text: 'Good morning', words }), {
      words: [
        { text: 'Good', start: 0.1, end: 0.4 },
        { text: 'morning', start: 0.4, end: 0.9 },
      ],
    });
  });

  it('join the tokens of whisper.cpp to words, but not those of scripts without spaces', async () => {
    const token = (word: string, start: number) => ({ word, start, end: start + 1 });
    const toTexts = async (tokens: readonly string[]) => {
      const segments = [{ text: tokens.join(''), start: 0, end: 9, words: tokens.map(token) }];
      const captions = await captionsOf({ text: tokens.join(''), segments });
      return 'words' in captions ? captions.words.map(({ text, start, end }) => [text, start, end]) : [];
    };
    assert.deepEqual(await toTexts([' Gut', 'en', ' Morgen', '.']), [
      ['Guten', 0, 2],
      ['Morgen.', 2, 4],
    ]);
    assert.deepEqual(await toTexts([' OK', '早', '上']), [
      ['OK', 0, 1],
      ['早', 1, 2],
      ['上', 2, 3],
    ]);
  });

  it('are lines from segments, and one line from bare text', async () => {
    const segments = [{ text: ' Good morning. ', start: 1, end: 2.5 }];
    assert.deepEqual(await captionsOf({ text: 'Good morning.', segments }), {
      cues: [{ text: 'Good morning.', start: 1, end: 2.5 }],
    });
    assert.deepEqual(await captionsOf({ text: 'Good\nmorning.' }), {
      cues: [{ text: 'Good morning.', start: 0, end: 60 }],
    });
  });

  it('of several parts follow each other, and are lines if a part has no words', async () => {
    const words = [{ word: 'One', start: 1, end: 2 }];
    assert.deepEqual(await captionsOf({ text: 'One', words }, { text: 'One', words }), {
      words: [
        { text: 'One', start: 1, end: 2 },
        { text: 'One', start: 61, end: 62 },
      ],
    });
    assert.deepEqual(await captionsOf({ text: 'One', words }, { text: '' }), {
      words: [{ text: 'One', start: 1, end: 2 }],
    });
    assert.deepEqual(await captionsOf({ text: 'One', words }, { text: 'Two' }), {
      cues: [
        { text: 'One', start: 1, end: 2 },
        { text: 'Two', start: 60, end: 120 },
      ],
    });
  });

  it('fit the renderer, whatever the server sends', async () => {
    const manyWords = [...Array(30_000).keys()].map(index => ({
      word: `w${index}`,
      start: index / 500,
      end: index,
    }));
    for (const reply of [
      { text: 'x '.repeat(20_000) },
      { text: 'x'.repeat(5_000) },
      { text: '字'.repeat(5_000) },
      { text: 'many', words: manyWords },
      {
        text: 'many',
        segments: manyWords.map(({ word, ...times }) => ({ text: word.repeat(100), ...times })),
      },
      {
        text: 'bad',
        words: [null, { word: 7 }, { word: 'a', start: 'x', end: 1 }, { word: 'b', start: -1, end: 1e9 }],
      },
      { text: 'nested', segments: [{ text: 'a', start: 0, end: 1, words: 'no' }, null, [[]]] },
      { text: 7, words: {}, segments: 'x' },
      'text',
      null,
    ]) {
      const captions = await captionsOf(reply);
      const list = 'words' in captions ? captions.words : captions.cues;
      assert.ok(list.length <= ('words' in captions ? 20_000 : 5_000));
      for (const { text, start, end } of list) {
        assert.ok(text.length >= 1 && text.length <= 200, text);
        assert.ok(start >= 0 && start <= end && end <= 60);
      }
    }
  });
});

it('languages become codes of ISO 639-1', async () => {
  const languages = {
    german: 'de',
    English: 'en',
    de: 'de',
    'pt-BR': 'pt',
    yue: 'zh',
    cantonese: 'zh',
    javanese: 'jv',
    jw: 'jv',
    'haitian creole': 'ht',
    klingon: undefined,
  };
  for (const [name, code] of Object.entries(languages))
    assert.equal((await readTranscript({ text: 'x', language: name }, WHOLE)).language, code, name);
  assert.equal((await readTranscript({ text: 'x', detected_language: 'french' }, WHOLE)).language, 'fr');
});
