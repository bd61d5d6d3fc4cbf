// Encodes for the codec host: frames with openh264, audio with FFmpeg's AAC, and the MP4 with mediabunny. A process may
// encode only one file at a time, because the addon crashes with two threads.
import {
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  FilePathTarget,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import { AudioData, AudioEncoder, VideoEncoder, VideoFrame } from 'node-webcodecs';
import { CHANNELS, type EncodeCommand, SAMPLE_RATE } from '../command.ts';
import { clearFileTimes } from '../mp4-times.ts';
import { getI420Size } from '../pixels/i420.ts';
import { Backpressure } from './backpressure.ts';

// Counted by outputs, because the encoder's queue size excludes work in progress. A 1080p frame is 3 MB.
const MAX_IN_PROGRESS = 5;
/** Gives the quality of x264 at CRF 20 to 23 for all sizes: 8 Mbit/s at 1080p30. */
const BITS_PER_PIXEL = 0.13;
const MIN_BITRATE = 200_000;
const AUDIO_BITRATE = 160_000;
const AAC_BLOCK = 1024;
export const AUDIO_BLOCK_BYTES = AAC_BLOCK * CHANNELS * 4;
const COLORS = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

export interface EncodeSources {
  /** I420 of the command's size. The bytes of a frame may be reused when the next one is requested. */
  readonly frames: AsyncIterable<Uint8Array>;
  /** Interleaved stereo of 32-bit floats in blocks of AUDIO_BLOCK_BYTES. The last block may be shorter. */
  readonly audio: AsyncIterable<Uint8Array>;
}

export async function encodeToFile(
  { path, maxSeconds, video, hasAudio }: EncodeCommand,
  { frames, audio }: EncodeSources,
): Promise<void> {
  const output = new Output({
    // Reserves space for the index at the front, so that nothing accumulates in memory.
    format: new Mp4OutputFormat({ fastStart: 'reserve' }),
    target: new FilePathTarget(path),
  });
  const tasks: (() => Promise<void>)[] = [];
  if (video !== undefined) {
    const source = new EncodedVideoPacketSource('avc');
    output.addVideoTrack(source, {
      frameRate: video.fps,
      maximumPacketCount: Math.round(maxSeconds * video.fps) + 1,
    });
    tasks.push(() => encodeFrames(video, frames, source));
  }
  if (hasAudio) {
    const source = new EncodedAudioPacketSource('aac');
    output.addAudioTrack(source, {
      maximumPacketCount: Math.ceil((maxSeconds * SAMPLE_RATE) / AAC_BLOCK) + 4,
    });
    tasks.push(() => encodeAudio(audio, source));
  }
  await output.start();
  await Promise.all(tasks.map(start => start()));
  await output.finalize();
  await clearFileTimes(path);
}

async function encodeFrames(
  { width, height, fps }: NonNullable<EncodeCommand['video']>,
  frames: AsyncIterable<Uint8Array>,
  source: EncodedVideoPacketSource,
): Promise<void> {
  const pressure = new Backpressure();
  let pendingWrites = Promise.resolve();
  let count = 0;
  const encoder = new VideoEncoder({
    error: err => pressure.fail(err),
    output: (chunk, meta) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      // Sets the timestamp and duration, because the encoder would lose the duration of the last frame.
      const packet = new EncodedPacket(data, chunk.type, count++ / fps, 1 / fps);
      pendingWrites = pendingWrites.then(() => source.add(packet, meta as EncodedVideoChunkMetadata));
      pendingWrites.catch(err => pressure.fail(err));
      pressure.progress();
    },
  });
  encoder.configure({
    codec: 'avc1.42e028',
    width,
    height,
    framerate: fps,
    bitrate: Math.max(MIN_BITRATE, Math.round(BITS_PER_PIXEL * width * height * fps)),
    colorSpace: COLORS,
    hardwareAcceleration: 'prefer-software',
    avc: { format: 'avc' },
  });
  let inputCount = 0;
  for await (const data of frames) {
    if (data.length < getI420Size(width, height)) throw new Error('The last frame is incomplete.');
    const timestamp = Math.round((inputCount++ * 1e6) / fps);
    const frame = new VideoFrame(data, {
      format: 'I420',
      codedWidth: width,
      codedHeight: height,
      timestamp,
      colorSpace: COLORS,
    });
    encoder.encode(frame);
    frame.close();
    await pressure.untilBelow(MAX_IN_PROGRESS, () => inputCount - count);
  }
  if (inputCount > 0) await encoder.flush();
  await pressure.untilBelow(1, () => inputCount - count);
  await pendingWrites;
  source.close();
}

async function encodeAudio(
  audio: AsyncIterable<Uint8Array>,
  source: EncodedAudioPacketSource,
): Promise<void> {
  const pressure = new Backpressure();
  let pendingWrites = Promise.resolve();
  let count = 0;
  const encoder = new AudioEncoder({
    error: err => pressure.fail(err),
    output: (chunk, meta) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      // Output is delayed by one block. With this shift, mediabunny writes an edit list that removes the delay.
      const timestamp = ((count++ - 1) * AAC_BLOCK) / SAMPLE_RATE;
      const packet = new EncodedPacket(data, 'key', timestamp, AAC_BLOCK / SAMPLE_RATE);
      pendingWrites = pendingWrites.then(() => source.add(packet, meta as EncodedAudioChunkMetadata));
      pendingWrites.catch(err => pressure.fail(err));
      pressure.progress();
    },
  });
  encoder.configure({
    codec: 'mp4a.40.2',
    sampleRate: SAMPLE_RATE,
    numberOfChannels: CHANNELS,
    bitrate: AUDIO_BITRATE,
  });
  let inputCount = 0;
  for await (const block of audio) {
    encoder.encode(
      new AudioData({
        format: 'f32',
        sampleRate: SAMPLE_RATE,
        numberOfFrames: AAC_BLOCK,
        numberOfChannels: CHANNELS,
        timestamp: Math.round((inputCount++ * AAC_BLOCK * 1e6) / SAMPLE_RATE),
        // Exactly one AAC block, because the encoder silently drops the rest of a larger block.
        data: block.length === AUDIO_BLOCK_BYTES ? block : Buffer.concat([block], AUDIO_BLOCK_BYTES),
      }),
    );
    await pressure.untilBelow(MAX_IN_PROGRESS * 4, () => inputCount - count);
  }
  await encoder.flush();
  await pendingWrites;
  pressure.throwIfFailed();
  source.close();
}
