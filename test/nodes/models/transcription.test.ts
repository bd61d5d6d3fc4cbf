// Tests the timed chunks of transcription models, from which captions are made.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNode } from '../../../src/nodes/catalog.ts';
import { toChunks } from '../../../src/nodes/models/provider-call.ts';

const readChunks = (chunks: unknown) => toChunks({ files: [], text: 'x', chunks });

describe('timed chunks', () => {
  it('are a second output of transcription models', () => {
    for (const nodeType of [
      'text:fal_whisper',
      'text:fal_wizper',
      'text:fal_elevenlabs_speech_to_text_scribe_v2',
    ])
      assert.deepEqual(
        findNode(nodeType)
          ?.ports({})
          .outputs.map(({ id, type }) => [id, type]),
        [
          ['text', 'TEXT'],
          ['chunks', 'JSON'],
        ],
        nodeType,
      );
  });

  it('are read in the formats of Whisper and Scribe', () => {
    assert.deepEqual(readChunks([{ timestamp: [0, 1.5], text: ' Hello ' }]), [
      { text: 'Hello', start: 0, end: 1.5 },
    ]);
    const scribe = [
      { text: 'Hello', start: 0, end: 0.5, type: 'word' },
      { text: ' ', start: 0.5, end: 0.6, type: 'spacing' },
    ];
    assert.deepEqual(readChunks(scribe), [{ text: 'Hello', start: 0, end: 0.5 }]);
  });

  it('exclude entries without a valid time', () => {
    const entriesWithoutTime = [
      { timestamp: [1, null], text: 'a' },
      { timestamp: [2, 1], text: 'b' },
      { text: 'c' },
      7,
      null,
    ];
    assert.deepEqual(readChunks(entriesWithoutTime), []);
    for (const response of [undefined, null, 'text', {}]) assert.deepEqual(readChunks(response), []);
  });

  it('are limited to 20,000', () => {
    const chunks = Array.from({ length: 100_000 }, (_, index) => ({
      timestamp: [index / 10, index / 10],
      text: 'a',
    }));
    assert.equal((readChunks(chunks) as readonly unknown[]).length, 20_000);
  });
});
