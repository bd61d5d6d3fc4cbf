// Encodes frames and audio to an MP4 file with either back end.
import { rm } from 'node:fs/promises';
import { AppError } from '../lib/errors.ts';
import { CodecChild } from './child.ts';
import { type Backend, CHANNELS, type PixelFormat, SAMPLE_RATE } from './command.ts';
import { getI420Size } from './pixels/i420.ts';
import { createI420Writer } from './pixels/i420-simd.ts';

export interface EncodeRequest {
  /** Path of the file, which does not exist after a failure. */
  readonly path: string;
  /** The maximum duration of either track. */
  readonly maxSeconds: number;
  readonly video?: {
    /** Both sides are even. */
    readonly width: number;
    readonly height: number;
    readonly fps: number;
    readonly pixels: PixelFormat;
    /** The bytes of a frame may be reused once the frame after the next is requested. */
    readonly frames: AsyncIterable<Uint8Array>;
  };
  /** Interleaved stereo at 48 kHz, in blocks of any size. */
  readonly audio?: AsyncIterable<Float32Array>;
  /** Called with the number of frames written so far. */
  readonly onFrame?: (count: number) => void;
}

/** Throws `codec_failed` if the codec fails. Rethrows errors of the producers unchanged. */
export async function encode(backend: Backend, request: EncodeRequest, signal: AbortSignal): Promise<void> {
  const { path, maxSeconds, video, audio } = request;
  if (video !== undefined && (video.width % 2 !== 0 || video.height % 2 !== 0)) {
    throw new RangeError('H.264 requires even width and height.');
  }
  const spawnSpec = backend.toSpawnSpec({
    kind: 'encode',
    path,
    maxSeconds,
    hasAudio: audio !== undefined,
    ...(video && { video: { width: video.width, height: video.height, fps: video.fps } }),
  });
  const child = new CodecChild(spawnSpec, { signal, failure: 'codec_failed' });
  // Both run in parallel, because a codec that waits for audio reads no frames, and vice versa.
  const pumps = [pumpFrames(child, request), pumpAudio(child, request)] as const;
  try {
    await Promise.all(pumps);
    await child.finish();
    await child.end();
  } catch (err) {
    const reason = await child.endWithReason(err);
    await Promise.allSettled(pumps);
    await rm(path, { force: true });
    throw reason;
  }
}

async function pumpFrames(child: CodecChild, { video, maxSeconds, onFrame }: EncodeRequest): Promise<void> {
  if (video !== undefined) {
    const { width, height, fps, pixels, frames } = video;
    let count = 0;
    const toI420 = pixels === 'i420' ? undefined : createConverter(width, height);
    const maxFrames = Math.round(maxSeconds * fps);
    // The next frame is produced while the codec reads the last one.
    let pendingWrite = Promise.resolve();
    for await (const frame of frames) {
      const frameBytes = pixels === 'i420' ? getI420Size(width, height) : width * height * 4;
      if (frame.length !== frameBytes)
        throw new RangeError(`A frame has ${frame.length} bytes; frameBytes ${frameBytes}.`);
      if (count === maxFrames) throw createTooLongError(maxSeconds);
      const block = toI420?.(frame) ?? frame;
      await pendingWrite;
      pendingWrite = child.write(child.stdin, block);
      // The next iteration awaits the write. Until then, this avoids an unhandled rejection.
      pendingWrite.catch(() => undefined);
      count++;
      onFrame?.(count);
    }
    await pendingWrite;
  }
  child.stdin.end();
}

function createConverter(width: number, height: number): (rgba: Uint8Array) => Uint8Array {
  // Two alternating buffers, because the codec may still be reading the previous frame.
  const writers = [createI420Writer(width, height, width), createI420Writer(width, height, width)] as const;
  let frameCount = 0;
  return rgba => {
    const writer = writers[frameCount++ % 2 === 0 ? 0 : 1];
    writer.write(rgba, 0);
    return writer.frame;
  };
}

async function pumpAudio(child: CodecChild, { audio, maxSeconds }: EncodeRequest): Promise<void> {
  let samples = 0;
  for await (const block of audio ?? []) {
    samples += block.length;
    if (samples / CHANNELS / SAMPLE_RATE > maxSeconds + 0.001) throw createTooLongError(maxSeconds);
    await child.write(child.audio, new Uint8Array(block.buffer, block.byteOffset, block.byteLength));
  }
  child.audio.end();
}

function createTooLongError(maxSeconds: number): AppError {
  return new AppError('codec_failed', `The file would be longer than the declared ${maxSeconds} seconds.`);
}
