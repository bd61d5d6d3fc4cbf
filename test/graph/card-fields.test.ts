// Tests how a card describes settings and choices in a few words.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeSetting, formatChoice } from '../../src/graph/card-fields.ts';
import type { Json } from '../../src/graph/types.ts';

describe('describeSetting', () => {
  const describeValue = (id: string, value: Json, choices?: readonly string[]): string =>
    describeSetting({ id, label: 'Setting', ...(choices === undefined ? {} : { enum: choices }) }, value);

  it('shows short values, and how long others are', () => {
    assert.equal(describeValue('width', 512), 'Setting 512');
    assert.equal(describeValue('text', ' two\n words '), 'Setting two words');
    assert.equal(describeValue('props', { accent: '#7bd389', title: 'Hello' }), 'Setting: 2 fields');
    assert.equal(describeValue('props', { accent: '#7bd389' }), 'Setting: 1 field');
    assert.equal(describeValue('inputs', [{ id: 'a', type: 'ANY' }]), 'Setting: 1 item');
    assert.equal(describeValue('code', 'const a = 1;\nexport default () => a;\n'), 'Setting: 2 lines');
    assert.equal(describeValue('size', 'square_hd', ['square_hd']), 'Setting Square HD');
  });

  it('hides secrets', () => {
    assert.equal(describeValue('apiKey', 'sk-123'), 'Setting ••••••••');
    assert.equal(describeValue('apiKey', { key: 'sk-123' }), 'Setting ••••••••');
  });
});

describe('formatChoice', () => {
  const formatAll = (...choices: readonly string[]): readonly string[] =>
    choices.map(choice => formatChoice(choice, choices));

  it('writes identifiers as people do', () => {
    assert.deepEqual(formatAll('landscape_4_3', 'portrait_16_9', 'square_hd', 'square'), [
      'Landscape 4:3',
      'Portrait 16:9',
      'Square HD',
      'Square',
    ]);
    assert.deepEqual(formatAll('bottom_center', 'none'), ['Bottom center', 'None']);
    assert.deepEqual(formatAll('equals', 'not_equals', 'is_empty'), ['Equals', 'Not equals', 'Is empty']);
    assert.deepEqual(formatAll('vivid', 'natural'), ['Vivid', 'Natural']);
    assert.deepEqual(formatAll('AUTO', 'ART_DECO', '80S_ILLUSTRATION'), [
      'Auto',
      'Art deco',
      '80s illustration',
    ]);
    assert.deepEqual(formatAll('realistic_image', 'realistic_image/hard_flash'), [
      'Realistic image',
      'Realistic image: Hard flash',
    ]);
    assert.deepEqual(formatAll('on', 'off', 'pingpong'), ['On', 'Off', 'Pingpong']);
  });

  it('keeps formats, models, languages and values that read well', () => {
    for (const choices of [
      ['mp3_44100_128', 'opus_48000_32', 'pcm_16000'],
      ['png', 'jpeg'],
      ['af_sky', 'am_adam'],
      ['16:9', '1024x1024', 'auto_2K'],
      ['en', 'pt-BR'],
      ['en', 'haw', 'jw'],
      ['GET', 'POST'],
    ])
      assert.deepEqual(formatAll(...choices), choices);
  });
});
