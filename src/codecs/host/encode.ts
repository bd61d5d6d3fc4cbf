// Encodes for the codec host: frames with openh264 and audio with FFmpeg's AAC, muxed to MP4 by mediabunny. Only one at
// a time per process: the addon crashes with two threads.
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
import { i420Size } from '../pixels/i420.ts';
import { Backpressure } from './backpressure.ts';

// The encoder's queue size excludes work in progress, so outputs are counted; 1080p frames are 3 MB each.
const MAX_IN_FLIGHT = 5;
/** Suitable for any size: 8 Mbit/s at 1080p30, the quality of x264 at CRF 20 to 23. */
const BITS_PER_PIXEL = 0.13;
const MIN_BITRATE = 200_000;
const AUDIO_BITRATE = 160_000;
const AAC_BLOCK = 1024;
export const AUDIO_BLOCK_BYTES = AAC_BLOCK * CHANNELS * 4;
const COLORS = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

export interface EncodeSources {
  /** I420 of the command's size; the bytes may be reused at once. */
  readonly frames: AsyncIterable<Uint8Array>;
  /** Interleaved stereo of 32-bit floats in blocks of AUDIO_BLOCK_BYTES; the last may be shorter. */
  readonly audio: AsyncIterable<Uint8Array>;
}

export async function encodeToFile(
  { path, maxSeconds, video, hasAudio }: EncodeCommand,
  { frames, audio }: EncodeSources,
): Promise<void> {
  const output = new Output({
    // The index is at the front, in reserved space, so that nothing accumulates in memory.
    format: new Mp4OutputFormat({ fastStart: 'reserve' }),
    target: new FilePathTarget(path),
  });
  const work: (() => Promise<void>)[] = [];
  if (video !== undefined) {
    const source = new EncodedVideoPacketSource('avc');
    output.addVideoTrack(source, {
      frameRate: video.fps,
      maximumPacketCount: Math.round(maxSeconds * video.fps) + 1,
    });
    work.push(() => encodeFrames(video, frames, source));
  }
  if (hasAudio) {
    const source = new EncodedAudioPacketSource('aac');
    output.addAudioTrack(source, {
      maximumPacketCount: Math.ceil((maxSeconds * SAMPLE_RATE) / AAC_BLOCK) + 4,
    });
    work.push(() => encodeAudio(audio, source));
  }
  await output.start();
  await Promise.all(work.map(start => start()));
  await output.finalize();
  await clearFileTimes(path);
}

async function encodeFrames(
  { width, height, fps }: NonNullable<EncodeCommand['video']>,
  frames: AsyncIterable<Uint8Array>,
  source: EncodedVideoPacketSource,
): Promise<void> {
  const pressure = new Backpressure();
  let writing = Promise.resolve();
  let count = 0;
  const encoder = new VideoEncoder({
    error: err => pressure.fail(err),
    output: (chunk, meta) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      // Timestamp and duration are set here: the encoder would lose the last frame's duration.
      const packet = new EncodedPacket(data, chunk.type, count++ / fps, 1 / fps);
      writing = writing.then(() => source.add(packet, meta as EncodedVideoChunkMetadata));
      writing.catch(err => pressure.fail(err));
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
    if (data.length < i420Size(width, height)) throw new Error('The last frame is incomplete.');
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
    await pressure.untilBelow(MAX_IN_FLIGHT, () => inputCount - count);
  }
  if (inputCount > 0) await encoder.flush();
  await pressure.untilBelow(1, () => inputCount - count);
  await writing;
  source.close();
}

async function encodeAudio(
  audio: AsyncIterable<Uint8Array>,
  source: EncodedAudioPacketSource,
): Promise<void> {
  const pressure = new Backpressure();
  let writing = Promise.resolve();
  let count = 0;
  const encoder = new AudioEncoder({
    error: err => pressure.fail(err),
    output: (chunk, meta) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      // Output is delayed by one block; with this shift mediabunny writes the edit list that removes the delay.
      const timestamp = ((count++ - 1) * AAC_BLOCK) / SAMPLE_RATE;
      const packet = new EncodedPacket(data, 'key', timestamp, AAC_BLOCK / SAMPLE_RATE);
      writing = writing.then(() => source.add(packet, meta as EncodedAudioChunkMetadata));
      writing.catch(err => pressure.fail(err));
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
        // Exactly one AAC block of samples: the encoder silently drops the rest of a larger block.
        data: block.length === AUDIO_BLOCK_BYTES ? block : Buffer.concat([block], AUDIO_BLOCK_BYTES),
      }),
    );
    await pressure.untilBelow(MAX_IN_FLIGHT * 4, () => inputCount - count);
  }
  await encoder.flush();
  await writing;
  pressure.check();
  source.close();
}
