// Tests the graphs in the metadata of images.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { findGraphText } from '../../../src/graph/comfyui/image-texts.ts';
import { makePng, makeWebp } from './images.ts';

const PROMPT = '{"1":{"class_type":"A","inputs":{}}}';
const WORKFLOW = '{"nodes":[]}';
const inflate = (bytes: Uint8Array, maxOutputLength: number): Uint8Array | undefined => {
  try {
    return inflateSync(bytes, { maxOutputLength });
  } catch {
    return undefined;
  }
};

describe('findGraphText', () => {
  it('prefers the graph in UI format', () => {
    const png = makePng([
      ['tEXt', Buffer.from(`prompt\0${PROMPT}`)],
      ['tEXt', Buffer.from(`workflow\0${WORKFLOW}`)],
    ]);
    assert.equal(findGraphText(png), WORKFLOW);
    assert.equal(findGraphText(makePng([['tEXt', Buffer.from(`prompt\0${PROMPT}`)]])), PROMPT);
  });

  it('reads texts that are compressed or not Latin-1', () => {
    const text = '{"1":{"class_type":"Ä","inputs":{"text":"狐"}}}';
    const international = Buffer.from(`prompt\0\0\0\0\0${text}`);
    assert.equal(findGraphText(makePng([['iTXt', international]])), text);
    const compressed = Buffer.concat([Buffer.from('prompt\0\x01\0\0\0'), deflateSync(text)]);
    assert.equal(findGraphText(makePng([['iTXt', compressed]]), inflate), text);
    assert.equal(findGraphText(makePng([['iTXt', compressed]])), undefined);
    const old = Buffer.concat([Buffer.from('prompt\0\0'), deflateSync(PROMPT)]);
    assert.equal(findGraphText(makePng([['zTXt', old]]), inflate), PROMPT);
    assert.equal(findGraphText(makePng([['tEXt', Buffer.from('prompt\0{"a":"é"}', 'latin1')]])), '{"a":"é"}');
  });

  it('reads the texts of WebP images in both byte orders', () => {
    for (const isLittle of [true, false]) {
      assert.equal(findGraphText(makeWebp([`prompt:${PROMPT}`, `workflow:${WORKFLOW}`], isLittle)), WORKFLOW);
      assert.equal(findGraphText(makeWebp(['Canon', `prompt:${PROMPT}`], isLittle)), PROMPT);
    }
  });

  it('finds nothing in other and malformed files, and in texts that grow very large', () => {
    const png = makePng([['tEXt', Buffer.from(`workflow\0${WORKFLOW}`)]]);
    const webp = makeWebp([`workflow:${WORKFLOW}`], true);
    for (const file of [png, webp])
      for (let length = 0; length < file.length; length += 3)
        findGraphText(file.subarray(0, length), inflate);
    for (let seed = 1; seed < 400; seed++) {
      const damaged = Uint8Array.from(seed % 2 === 0 ? png : webp);
      for (let offset = seed; offset < damaged.length; offset += 7) damaged[offset] = (seed * offset) % 256;
      findGraphText(damaged, inflate);
    }
    for (const bytes of [Buffer.alloc(0), Buffer.from('GIF89a'), Buffer.from('RIFF....WEBP')])
      assert.equal(findGraphText(bytes), undefined);
    const bomb = Buffer.concat([Buffer.from('workflow\0\x01\0\0\0'), deflateSync(Buffer.alloc(50_000_000))]);
    assert.equal(findGraphText(makePng([['iTXt', bomb]]), inflate), undefined);
  });
});
