// Tests how values are converted at ports, and the errors for types without a conversion.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MediaRef, PortType, Value } from '../../src/graph/types.ts';
import { toNodeInput, toValue, ValueError } from '../../src/graph/values.ts';

const media: MediaRef = {
  mediaId: 'med_1',
  url: 'http://cdn/med_1/a.png',
  contentType: 'image/png',
  sha256: 'ab',
  bytes: 3,
  width: 1,
  height: 1,
  duration: null,
};
const port = (type: PortType) => ({ id: 'in1', label: 'Input', type });
const TEXT: Value = { type: 'TEXT', text: 'a' };
const NUMBER: Value = { type: 'NUMBER', number: 1.5 };
const JSON_TEXT: Value = { type: 'JSON', json: 'plain' };
const JSON_OBJECT: Value = { type: 'JSON', json: { a: [1] } };
const IMAGE: Value = { type: 'IMAGE', media };
const LIST: Value = { type: 'LIST', items: [TEXT, IMAGE] };

const ACCEPTED: readonly (readonly [Value, PortType, unknown])[] = [
  [TEXT, 'TEXT', 'a'],
  [NUMBER, 'TEXT', '1.5'],
  [JSON_TEXT, 'TEXT', 'plain'],
  [JSON_OBJECT, 'TEXT', '{"a":[1]}'],
  [NUMBER, 'NUMBER', 1.5],
  [TEXT, 'JSON', 'a'],
  [NUMBER, 'JSON', 1.5],
  [JSON_OBJECT, 'JSON', { a: [1] }],
  [IMAGE, 'JSON', 'http://cdn/med_1/a.png'],
  [LIST, 'JSON', ['a', 'http://cdn/med_1/a.png']],
  [IMAGE, 'IMAGE', media],
  [LIST, 'LIST', [TEXT, IMAGE]],
  [TEXT, 'LIST', [TEXT]],
  [TEXT, 'ANY', TEXT],
  [LIST, 'ANY', LIST],
];

const REFUSED: readonly (readonly [Value, PortType, string])[] = [
  [TEXT, 'NUMBER', '"Input" (in1) accepts a number, but received text.'],
  [JSON_OBJECT, 'NUMBER', '"Input" (in1) accepts a number, but received JSON.'],
  [IMAGE, 'TEXT', '"Input" (in1) accepts text, but received an image.'],
  [IMAGE, 'VIDEO', '"Input" (in1) accepts a video, but received an image.'],
  [TEXT, 'AUDIO', '"Input" (in1) accepts an audio file, but received text.'],
  [LIST, 'TEXT', '"Input" (in1) accepts text, but received a list.'],
];

describe('a value at an input port', () => {
  for (const [value, type, nodeInput] of ACCEPTED) {
    it(`is accepted if the port is ${type} and the value ${JSON.stringify(value).slice(0, 40)}`, () => {
      assert.deepEqual(toNodeInput(value, port(type)), nodeInput);
    });
  }
  for (const [value, type, message] of REFUSED) {
    it(`is refused if the port is ${type} and the value ${value.type}`, () => {
      assert.throws(() => toNodeInput(value, port(type)), new ValueError(message));
    });
  }
});

describe('a result at an output port', () => {
  it('is tagged with the type of the port', () => {
    assert.deepEqual(toValue('a', port('TEXT')), TEXT);
    assert.deepEqual(toValue(1.5, port('NUMBER')), NUMBER);
    assert.deepEqual(toValue({ a: [1] }, port('JSON')), JSON_OBJECT);
    assert.deepEqual(toValue(null, port('JSON')), { type: 'JSON', json: null });
    assert.deepEqual(toValue(media, port('IMAGE')), IMAGE);
    assert.deepEqual(toValue([TEXT, IMAGE], port('LIST')), LIST);
  });

  it('is returned unchanged if it is tagged already', () => {
    for (const value of [TEXT, NUMBER, JSON_OBJECT, IMAGE, LIST]) {
      for (const type of ['TEXT', 'JSON', 'ANY', 'LIST'] as const) {
        assert.equal(toValue(value, port(type)), value);
      }
    }
  });

  it('is JSON if it only resembles a tagged value', () => {
    for (const json of [{ type: 'TEXT' }, { type: 'IMAGE', media: 'x' }, { type: 'LIST', items: [1] }]) {
      assert.deepEqual(toValue(json, port('JSON')), { type: 'JSON', json });
    }
  });

  it('is refused if it is of another type', () => {
    const invalidOutputs = [
      ['TEXT', 1],
      ['TEXT', null],
      ['NUMBER', '1'],
      ['NUMBER', Number.NaN],
      ['NUMBER', Number.POSITIVE_INFINITY],
      ['IMAGE', 'http://x'],
      ['LIST', ['a']],
      ['ANY', 'a'],
    ] as const;
    for (const [type, output] of invalidOutputs) {
      assert.throws(() => toValue(output, port(type)), /^ValueError: "Input" \(in1\) must return /);
    }
  });
});
