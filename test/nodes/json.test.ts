// Tests JSON nodes: the ports for paths and keys, and the values at these ports.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNode } from '../../src/nodes/catalog.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { jsonValue, listValue, numberValue, textValue } from '../support/engine/values.ts';
import { plainImage } from '../support/media/pixels.ts';

describe('utility:json_extract', () => {
  const json = { name: 'Ada', tags: ['x', { deep: 7 }], flag: false, none: null };

  it('creates a port for each path, typed by the value there', async () => {
    const paths = {
      who: 'name',
      first: 'tags.0',
      deep: 'tags.1.deep',
      flag: 'flag',
      none: 'none',
      tags: 'tags',
      all: '',
    };
    assert.deepEqual(await runNode('utility:json_extract', { json, paths }), {
      who: textValue('Ada'),
      first: textValue('x'),
      deep: numberValue(7),
      flag: jsonValue(false),
      none: jsonValue(null),
      tags: jsonValue(json.tags),
      all: jsonValue(json),
    });
  });

  it('leaves the port of a missing path without a value', async () => {
    const paths = {
      a: 'name.length',
      b: 'tags.length',
      c: 'toString',
      d: '__proto__.x',
      e: 'none.x',
      f: 'tags.9',
    };
    const outputs = await runNode('utility:json_extract', { json, paths });
    assert.deepEqual(
      Object.keys(paths).filter(port => outputs[port] !== undefined),
      ['b'],
    );
  });

  it('parses a text as JSON, with or without a code fence', async () => {
    const paths = { a: 'a' };
    for (const text of ['{"a":1}', '```json\n{"a":1}\n```', '```\n{"a":1}\n```  ']) {
      assert.deepEqual(await runNode('utility:json_extract', { json: text, paths }), { a: numberValue(1) });
    }
    await assert.rejects(runNode('utility:json_extract', { json: 'no json', paths }), {
      code: 'invalid_json',
    });
  });

  it('creates ports only for valid names', () => {
    const paths = { ok: 'a', 'no good': 'b', constructor: 'c', n: 5 };
    const ports = findNode('utility:json_extract')?.ports({ paths });
    assert.deepEqual(
      ports?.outputs.map(output => output.id),
      ['ok'],
    );
    assert.deepEqual(findNode('utility:json_extract')?.ports({ paths: 'x' }).outputs, []);
  });
});

describe('utility:json_build', () => {
  it('builds an object from the connected values', async () => {
    const ctx = makeContext();
    const media = await ctx.upload(await plainImage(2, 2, '#ff0000'), 'image/png');
    const values = {
      keys: ['title', 'price', 'parts', 'picture', 'absent'],
      title: textValue('Lamp'),
      price: numberValue(12.5),
      parts: listValue([textValue('a'), jsonValue({ b: 1 })]),
      picture: { type: 'IMAGE', media },
    };
    const expected = { title: 'Lamp', price: 12.5, parts: ['a', { b: 1 }], picture: media.url };
    assert.deepEqual(await runNode('utility:json_build', values, ctx), { json: jsonValue(expected) });
  });

  it('creates a port for each key', () => {
    const ports = findNode('utility:json_build')?.ports({ keys: ['a', 'b', 'a', 'keys', '__proto__', 3] });
    assert.deepEqual(
      ports?.inputs.filter(input => input.isPort).map(input => input.id),
      ['a', 'b'],
    );
  });
});
