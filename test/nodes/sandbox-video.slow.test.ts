// Tests the sandbox video models: real, reproducible clips of the requested size and length.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { getBackend } from '../../src/codecs/backend.ts';
import { encode } from '../../src/codecs/encode.ts';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import type { MediaRef } from '../../src/graph/types.ts';
import { withTempFolder } from '../../src/lib/files.ts';
import { readSettings } from '../../src/lib/settings.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';
import { generateTone } from '../codecs/clips.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { plainImage } from '../support/media/pixels.ts';

const { signal } = new AbortController();
const backend = await getBackend(readSettings(), signal).catch(() => undefined);

describe('video:sandbox and talking:sandbox', {
  skip: backend === undefined && 'this machine has no codec',
}, () => {
  const ctx = makeContext();

  it('create the same clip of the requested size and length for the same input', async () => {
    const values = { prompt: 'a calm sea', width: 161, height: 90, duration: 0.5 };
    const make = async () => (await runNode('video:sandbox', values, ctx)).video as MediaRef;
    const [first, second] = [await make(), await make()];
    assert.equal(first.sha256, second.sha256);
    const { video, audio, durationSeconds } = await probeMedia(ctx.bytesOf(first), signal);
    assert.deepEqual([video?.width, video?.height, durationSeconds, audio], [160, 90, 0.5, undefined]);
  });

  it('create a talking picture as long as the speech', async () => {
    const sound = await withTempFolder(async folder => {
      const path = join(folder, 'speech.m4a');
      if (backend !== undefined)
        await encode(backend, { path, maxSeconds: 1, audio: generateTone(0.75) }, signal);
      return ctx.upload(await readFile(path), 'audio/mp4');
    });
    const portrait = await ctx.upload(await plainImage(30, 40, '#336699'), 'image/png');
    const { video } = await runNode('talking:sandbox', { image: portrait, audio: sound }, ctx);
    const info = await probeMedia(ctx.bytesOf(video as MediaRef), signal);
    assert.deepEqual([info.video?.width, info.audio?.codec], [640, 'aac']);
    assert.ok(Math.abs(info.durationSeconds - 0.75) < 0.06);
  });

  it('are hidden with the other sandbox models', () => {
    assert.equal(createNodeCatalog({ SANDBOX_MODELS: false }).find('video:sandbox')?.hidden, true);
    assert.equal(createNodeCatalog({ SANDBOX_MODELS: true }).find('talking:sandbox')?.hidden, undefined);
  });
});
