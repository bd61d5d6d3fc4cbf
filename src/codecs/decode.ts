// Reads frames and audio from a file with either back end.
import { AppError } from '../lib/errors.ts';
import { CodecChild, CodecEndedEarly } from './child.ts';
import type { MediaFacts } from './facts.ts';
import { readBlocks } from './host/pipe.ts';
import { type AudioJob, type Backend, CHANNELS, type FramesJob, SAMPLE_RATE } from './job.ts';
import { i420Size } from './pixels/i420.ts';

/** Less than the time limit of a still, so that a stalled file is reported by name instead of failing the still. */
const STALL_MS = 15_000;

/** A probed file on disk. */
export interface Clip {
  readonly path: string;
  readonly facts: MediaFacts;
}

export type FramesRequest = Omit<FramesJob, 'kind' | keyof Clip>;

/**
 * Yields exactly `frameCount` frames: frame k is what a player shows at `startSeconds + k / fps`; the last frame
 * repeats past the end. Each frame is a separate buffer. Throws `unreadable_media`.
 */
export async function* decodeFrames(
  backend: Backend,
  { path, facts }: Clip,
  request: FramesRequest,
  signal: AbortSignal,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  if (facts.video === undefined) throw new AppError('unreadable_media', 'The file has no video.');
  const { width, height, pixels, frameCount } = request;
  if (frameCount < 1) return;
  const size = pixels === 'i420' ? i420Size(width, height) : width * height * 4;
  const command = backend.commandFor({ kind: 'frames', path, facts, ...request });
  const child = new CodecChild(command, { signal, failure: 'unreadable_media', stallMs: STALL_MS });
  try {
    let count = 0;
    for await (const frame of readBlocks(child.read(), size)) {
      if (frame.length < size) break;
      yield frame;
      if (++count === frameCount) return;
    }
    throw new CodecEndedEarly('The codec returned too few frames.');
  } catch (err) {
    throw await child.endWithReason(err);
  } finally {
    await child.end();
  }
}

/**
 * Yields `seconds` of audio from `startSeconds`, interleaved stereo at 48 kHz in blocks of any size, with silence past
 * the end or if the file has no audio. Throws `unreadable_media`.
 */
export async function* decodeAudio(
  backend: Backend,
  { path, facts }: Clip,
  { startSeconds, seconds }: Pick<AudioJob, 'startSeconds' | 'seconds'>,
  signal: AbortSignal,
): AsyncGenerator<Float32Array> {
  let remaining = Math.round(seconds * SAMPLE_RATE) * CHANNELS;
  if (facts.audio !== undefined && remaining > 0) {
    const command = backend.commandFor({ kind: 'audio', path, facts, startSeconds, seconds });
    const child = new CodecChild(command, { signal, failure: 'unreadable_media' });
    try {
      for await (const block of completeSamples(child.read())) {
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
  yield* silence(remaining);
}

/** Regroups byte blocks into blocks of complete stereo frames. */
async function* completeSamples(blocks: AsyncIterable<Buffer>): AsyncGenerator<Float32Array> {
  const step = 4 * CHANNELS;
  let incomplete: Buffer = Buffer.alloc(0);
  for await (const block of blocks) {
    const bytes = Buffer.concat([incomplete, block]);
    const completeBytes = bytes.length - (bytes.length % step);
    incomplete = bytes.subarray(completeBytes);
    // Copied, because floats need 4-byte alignment.
    if (completeBytes > 0)
      yield new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + completeBytes));
  }
}

function* silence(samples: number): Generator<Float32Array> {
  for (let remaining = samples; remaining > 0; remaining -= SAMPLE_RATE) {
    yield new Float32Array(Math.min(remaining, SAMPLE_RATE));
  }
}
