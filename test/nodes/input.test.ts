// Tests input nodes: the value of a config, and the `inputs` that a run may set.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../../src/graph/types.ts';
import { findNode } from '../../src/nodes/catalog.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { jsonValue, listValue, numberValue, textValue } from '../support/engine/values.ts';
import { plainImage } from '../support/media/pixels.ts';

function runInput(nodeType: string, value: Json): JsonObject {
  const config = findNode(nodeType)?.runInput?.(value, JSON.stringify(value));
  assert.ok(config, `${nodeType} takes no input`);
  return config;
}

const runWith = (nodeType: string, config: JsonObject, value: Json, ctx = makeContext()) =>
  runNode(nodeType, { ...config, ...runInput(nodeType, value) }, ctx);

describe('input:text, input:number, input:json', () => {
  it('output the value of their config', async () => {
    assert.deepEqual(await runNode('input:text', { value: 'hello' }), { text: 'hello' });
    assert.deepEqual(await runNode('input:number', { value: 4 }), { number: 4 });
    assert.deepEqual(await runNode('input:json', { value: [1] }), { json: jsonValue([1]) });
  });

  it('output the value that the run sets in place of the config', async () => {
    assert.deepEqual(await runWith('input:text', { value: 'old' }, 'new'), { text: 'new' });
    assert.deepEqual(await runWith('input:text', { value: 'old' }, 7), { text: '7' });
    assert.deepEqual(await runWith('input:number', { value: 1 }, '2.5'), { number: 2.5 });
    assert.deepEqual(await runWith('input:json', { value: {} }, null), { json: jsonValue(null) });
  });

  it('take the digits of a number for a text as they were sent', () => {
    const read = findNode('input:text')?.runInput;
    for (const digits of ['7615917337495251231', '1.10', '1e400'])
      assert.equal(read?.(Number(digits), digits).value, digits);
    assert.deepEqual(read?.([1.1, 'a'], '[1.10, "a"]').items, ['1.10', 'a']);
  });

  it('output a list for a list, except for input:json', async () => {
    assert.deepEqual(await runWith('input:text', {}, ['a', 'b']), {
      text: listValue([textValue('a'), textValue('b')]),
    });
    assert.deepEqual(await runWith('input:number', {}, [1, '2']), {
      number: listValue([numberValue(1), numberValue(2)]),
    });
    assert.deepEqual(await runWith('input:json', {}, ['a']), { json: jsonValue(['a']) });
  });

  it('refuse values of another type', () => {
    for (const value of [null, true, {}, [['a']]]) {
      assert.throws(() => runInput('input:text', value), { code: 'invalid_inputs' });
    }
    for (const value of ['many', '', null, ['x']]) {
      assert.throws(() => runInput('input:number', value), { code: 'invalid_inputs' });
    }
    assert.throws(() => runInput('input:text', new Array(1001).fill('x')), { code: 'invalid_inputs' });
  });
});

describe('input:image, input:video, input:audio', () => {
  it('output the media with the given id or URL', async () => {
    const ctx = makeContext();
    const image = await ctx.upload(await plainImage(4, 2, '#00ff00'), 'image/png');
    assert.deepEqual(await runNode('input:image', { mediaId: image.mediaId }, ctx), { image });
    assert.deepEqual(await runNode('input:image', { url: image.url }, ctx), { image });
    const audio = await ctx.upload(Buffer.from('sound'), 'audio/mpeg');
    assert.deepEqual(await runNode('input:audio', { mediaId: audio.mediaId }, ctx), { audio });
  });

  it('accept a URL, an id or a list of both from the run', async () => {
    const ctx = makeContext();
    const [a, b] = await Promise.all(
      ['#ff0000', '#0000ff'].map(async hue => ctx.upload(await plainImage(2, 2, hue), 'image/png')),
    );
    assert.ok(a && b);
    const config = { mediaId: a.mediaId };
    assert.deepEqual(await runWith('input:image', config, b.url, ctx), { image: b });
    assert.deepEqual(await runWith('input:image', config, { url: b.url }, ctx), { image: b });
    assert.deepEqual(await runWith('input:image', { url: a.url }, { mediaId: b.mediaId }, ctx), { image: b });
    const image = listValue([a, b].map(media => ({ type: 'IMAGE', media })));
    assert.deepEqual(await runWith('input:image', {}, [a.url, { mediaId: b.mediaId }], ctx), { image });
  });

  it('refuse a value that identifies no media', async () => {
    for (const value of [7, '', {}, { mediaId: 7 }, [null]]) {
      assert.throws(() => runInput('input:video', value), { code: 'invalid_inputs' });
    }
    await assert.rejects(runNode('input:image', {}), { code: 'missing_media' });
  });
});

describe('input:list', () => {
  it('outputs its items as values of the configured type', async () => {
    assert.deepEqual(await runNode('input:list', { items: ['a', 2] }), {
      list: [textValue('a'), textValue('2')],
    });
    assert.deepEqual(await runNode('input:list', { items: ['1', 2], itemType: 'NUMBER' }), {
      list: [numberValue(1), numberValue(2)],
    });
    assert.deepEqual(await runNode('input:list', { items: [{}], itemType: 'JSON' }), {
      list: [jsonValue({})],
    });
    assert.deepEqual(await runWith('input:list', { items: ['a'] }, ['b']), { list: [textValue('b')] });
  });

  it('outputs the media of its URLs', async () => {
    const ctx = makeContext();
    const media = await ctx.upload(await plainImage(2, 2, '#ff0000'), 'image/png');
    assert.deepEqual(await runNode('input:list', { items: [media.url], itemType: 'IMAGE' }, ctx), {
      list: [{ type: 'IMAGE', media }],
    });
    const items = new Array(101).fill(media.url);
    await assert.rejects(runNode('input:list', { items, itemType: 'IMAGE' }, ctx), { code: 'list_too_long' });
  });

  it('refuses a value that is not a list', async () => {
    assert.throws(() => runInput('input:list', 'a'), { code: 'invalid_inputs' });
    await assert.rejects(runNode('input:list', { items: 'a' }), { code: 'invalid_items' });
  });
});
