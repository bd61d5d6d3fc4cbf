// Tests PNG files that contain a graph: the text can be read back, and the image stays valid.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { embedText, readText } from '../../../editor/board/png-text.ts';

const image = async (): Promise<Uint8Array> =>
  sharp({ create: { width: 3, height: 2, channels: 3, background: '#4a7' } })
    .png()
    .toBuffer();

describe('embedText and readText', () => {
  it('return the embedded text from a PNG that stays valid', async () => {
    const text = JSON.stringify({ nodes: [{ id: 'ä', text: '🐳' }] });
    const png = embedText(await image(), text);
    assert.equal(readText(png), text);
    // A wrong checksum would make the image unreadable.
    const { width, height, format } = await sharp(png, { failOn: 'warning' }).metadata();
    assert.deepEqual([width, height, format], [3, 2, 'png']);
    await sharp(png, { failOn: 'warning' }).raw().toBuffer();
  });

  it('return no text for other images, truncated files and other files', async () => {
    const imageWithoutText = await image();
    const png = embedText(imageWithoutText, 'x'.repeat(100));
    assert.equal(readText(imageWithoutText), undefined);
    assert.equal(readText(png.subarray(0, 80)), undefined);
    assert.equal(readText(new TextEncoder().encode('{"nodes":[]}')), undefined);
    const withWrongLength = png.slice();
    new DataView(withWrongLength.buffer).setUint32(33, 0xffffffff);
    assert.equal(readText(withWrongLength), undefined);
    assert.throws(() => embedText(new Uint8Array(4), 'text'), /not a PNG/);
  });
});
