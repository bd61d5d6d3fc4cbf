// Encodes like the codec host, but in this process, so that frames cross no pipe. Only for the main thread of a process
// that runs a single command and has NODE_WEBCODECS_FORCE=static.
import { rm } from 'node:fs/promises';
import type { EncodeRequest } from '../encode.ts';
import { readBlocks } from './pipe.ts';

/** Encodes I420 frames. Rethrows errors of the producers unchanged. Can only be stopped by ending the process. */
export async function encodeInProcess(request: EncodeRequest): Promise<void> {
  const { path, maxSeconds, video, audio, onFrame } = request;
  const { encodeToFile, AUDIO_BLOCK_BYTES } = await import('./encode.ts');
  let frameCount = 0;
  async function* countFrames(): AsyncGenerator<Uint8Array> {
    for await (const frame of video?.frames ?? []) {
      yield frame;
      onFrame?.(++frameCount);
    }
  }
  async function* toAudioBytes(): AsyncGenerator<Uint8Array> {
    for await (const block of audio ?? [])
      yield new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
  }
  const command = { kind: 'encode', path, maxSeconds, hasAudio: audio !== undefined } as const;
  try {
    const sources = { frames: countFrames(), audio: readBlocks(toAudioBytes(), AUDIO_BLOCK_BYTES) };
    await encodeToFile({ ...command, ...(video && { video }) }, sources);
  } catch (err) {
    await rm(path, { force: true });
    throw err;
  }
}
