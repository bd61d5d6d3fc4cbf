// Tests the graphs in the metadata of images.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { findGraphText } from '../../../src/graph/comfyui/image-texts.ts';
import { makePng, makeWebp } from './images.ts';

const PROMPT = '{"1":{"class_type":"A","inputs":{}}}';
const WORKFLOW = '{"nodes":[]}';
let inflated = 0;
const inflate = async (bytes: Uint8Array, maxOutputLength: number): Promise<Uint8Array | undefined> => {
  inflated++;
  try {
    return inflateSync(bytes, { maxOutputLength });
  } catch {
    return undefined;
  }
};

describe('findGraphText', () => {
  it('prefers the graph in UI format', async () => {
    const png = makePng([
      ['tEXt', Buffer.from(`prompt\0${PROMPT}`)],
      ['tEXt', Buffer.from(`workflow\0${WORKFLOW}`)],
    ]);
    assert.equal(await findGraphText(png), WORKFLOW);
    assert.equal(await findGraphText(makePng([['tEXt', Buffer.from(`prompt\0${PROMPT}`)]])), PROMPT);
  });

  it('reads texts that are compressed or not Latin-1', async () => {
    const text = '{"1":{"class_type":"Ä","inputs":{"text":"狐"}}}';
    const international = Buffer.from(`prompt\0\0\0\0\0${text}`);
    assert.equal(await findGraphText(makePng([['iTXt', international]])), text);
    const compressed = Buffer.concat([Buffer.from('prompt\0\x01\0\0\0'), deflateSync(text)]);
    assert.equal(await findGraphText(makePng([['iTXt', compressed]]), inflate), text);
    assert.equal(await findGraphText(makePng([['iTXt', compressed]])), undefined);
    const old = Buffer.concat([Buffer.from('prompt\0\0'), deflateSync(PROMPT)]);
    assert.equal(await findGraphText(makePng([['zTXt', old]]), inflate), PROMPT);
    assert.equal(
      await findGraphText(makePng([['tEXt', Buffer.from('prompt\0{"a":"é"}', 'latin1')]])),
      '{"a":"é"}',
    );
  });

  it('reads the texts of WebP images in both byte orders', async () => {
    for (const isLittle of [true, false]) {
      assert.equal(
        await findGraphText(makeWebp([`prompt:${PROMPT}`, `workflow:${WORKFLOW}`], isLittle)),
        WORKFLOW,
      );
      assert.equal(await findGraphText(makeWebp(['Canon', `prompt:${PROMPT}`], isLittle)), PROMPT);
    }
  });

  it('finds nothing in other and malformed files, and in texts that grow very large', async () => {
    const png = makePng([['tEXt', Buffer.from(`workflow\0${WORKFLOW}`)]]);
    const webp = makeWebp([`workflow:${WORKFLOW}`], true);
    for (const file of [png, webp])
      for (let length = 0; length < file.length; length += 3)
        await findGraphText(file.subarray(0, length), inflate);
    for (let seed = 1; seed < 400; seed++) {
      const damaged = Uint8Array.from(seed % 2 === 0 ? png : webp);
      for (let offset = seed; offset < damaged.length; offset += 7) damaged[offset] = (seed * offset) % 256;
      await findGraphText(damaged, inflate);
    }
    for (const bytes of [Buffer.alloc(0), Buffer.from('GIF89a'), Buffer.from('RIFF....WEBP')])
      assert.equal(await findGraphText(bytes), undefined);
    const bomb = Buffer.concat([Buffer.from('workflow\0\x01\0\0\0'), deflateSync(Buffer.alloc(50_000_000))]);
    assert.equal(await findGraphText(makePng([['iTXt', bomb]]), inflate), undefined);
  });

  it('decompresses one text of each keyword', async () => {
    const bomb = Buffer.concat([Buffer.from('workflow\0\x01\0\0\0'), deflateSync(Buffer.alloc(20_000_000))]);
    inflated = 0;
    const chunks = Array.from({ length: 1000 }, () => ['iTXt', bomb] as const);
    const prompt = ['tEXt', Buffer.from(`prompt\0${PROMPT}`)] as const;
    assert.equal(await findGraphText(makePng([...chunks, prompt]), inflate), PROMPT);
    assert.equal(inflated, 1);
  });
});
