// Decodes frames and audio of a file with either back end.
import { AppError } from '../lib/errors.ts';
import { CodecChild, CodecEndedEarlyError } from './child.ts';
import { type AudioCommand, type Backend, CHANNELS, type FramesCommand, SAMPLE_RATE } from './command.ts';
import { readBlocks } from './host/pipe.ts';
import type { MediaInfo } from './media-info.ts';
import { getI420Size } from './pixels/i420.ts';

/** A probed file on disk. */
export interface Clip {
  readonly path: string;
  readonly info: MediaInfo;
}

export type FramesRequest = Omit<FramesCommand, 'kind' | keyof Clip>;

/**
 * Yields exactly `frameCount` frames. Frame k is what a player shows at `startSeconds + k / fps`. The last frame repeats
 * past the end. Each frame is a separate buffer. Throws `unreadable_media`.
 */
export async function* decodeFrames(
  backend: Backend,
  { path, info }: Clip,
  request: FramesRequest,
  signal: AbortSignal,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  if (info.video === undefined) throw new AppError('unreadable_media', 'The file has no video.');
  const { width, height, pixels, frameCount } = request;
  if (frameCount < 1) return;
  const size = pixels === 'i420' ? getI420Size(width, height) : width * height * 4;
  const spawnSpec = backend.toSpawnSpec({ kind: 'frames', path, info, ...request });
  const child = new CodecChild(spawnSpec, { signal, failure: 'unreadable_media' });
  try {
    let count = 0;
    for await (const frame of readBlocks(child.read(), size)) {
      if (frame.length < size) break;
      yield frame;
      if (++count === frameCount) return;
    }
    throw new CodecEndedEarlyError('The codec returned too few frames.');
  } catch (err) {
    throw await child.endWithReason(err);
  } finally {
    await child.end();
  }
}

/**
 * Yields `seconds` of audio from `startSeconds`: interleaved stereo at 48 kHz, in blocks of any size. Past the end, or if
 * the file has no audio, the blocks are silent. Throws `unreadable_media`.
 */
export async function* decodeAudio(
  backend: Backend,
  { path, info }: Clip,
  { startSeconds, seconds }: Pick<AudioCommand, 'startSeconds' | 'seconds'>,
  signal: AbortSignal,
): AsyncGenerator<Float32Array> {
  let remaining = Math.round(seconds * SAMPLE_RATE) * CHANNELS;
  if (info.audio !== undefined && remaining > 0) {
    const spawnSpec = backend.toSpawnSpec({ kind: 'audio', path, info, startSeconds, seconds });
    const child = new CodecChild(spawnSpec, { signal, failure: 'unreadable_media' });
    try {
      for await (const block of regroupSamples(child.read())) {
        const part = block.subarray(0, remaining);
        remaining -= part.length;
        if (part.length > 0) yield part;
      }
      await child.finish();
    } catch (err) {
      throw await child.endWithReason(err);
    } finally {
      await child.end();
    }
  }
  yield* yieldSilence(remaining);
}

/** Regroups byte blocks into blocks of complete stereo frames. */
async function* regroupSamples(blocks: AsyncIterable<Buffer>): AsyncGenerator<Float32Array> {
  const frameBytes = 4 * CHANNELS;
  let incomplete: Buffer = Buffer.alloc(0);
  for await (const block of blocks) {
    const bytes = Buffer.concat([incomplete, block]);
    const completeBytes = bytes.length - (bytes.length % frameBytes);
    incomplete = bytes.subarray(completeBytes);
    // Copied, because floats need 4-byte alignment.
    if (completeBytes > 0)
      yield new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + completeBytes));
  }
}

function* yieldSilence(samples: number): Generator<Float32Array> {
  for (let remaining = samples; remaining > 0; remaining -= SAMPLE_RATE) {
    yield new Float32Array(Math.min(remaining, SAMPLE_RATE));
  }
}
