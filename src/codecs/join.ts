// Joins the segments of a video and adds audio, without re-encoding.
import { open } from 'node:fs/promises';
import {
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathTarget,
  type InputAudioTrack,
  type InputTrack,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import { clearFileTimes, readBoxes } from './mp4-times.ts';
import { openInput } from './open-input.ts';

export interface EncodedSegment {
  /** An MP4 made by `encode` with the same settings and size as the other segments. It starts with a key frame. */
  readonly path: string;
  readonly frameCount: number;
}

export interface JoinRequest {
  readonly path: string;
  readonly fps: number;
  readonly segments: readonly EncodedSegment[];
  /** Path of an MP4 without video, made by `encode`. */
  readonly audioPath?: string | undefined;
}

/** Writes the MP4. Rejects if a segment is incomplete. */
export async function joinSegments({ path, fps, segments, audioPath }: JoinRequest): Promise<void> {
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: 'reserve' }),
    target: new FilePathTarget(path),
  });
  const frameCount = segments.reduce((sum, segment) => sum + segment.frameCount, 0);
  const video = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(video, { frameRate: fps, maximumPacketCount: frameCount });
  using audioInput = audioPath === undefined ? undefined : openInput(audioPath);
  const audioTrack = await audioInput?.getPrimaryAudioTrack();
  const audio = new EncodedAudioPacketSource('aac');
  if (audioTrack) {
    const { packetCount } = await audioTrack.computePacketStats();
    output.addAudioTrack(audio, { maximumPacketCount: packetCount });
  }
  await output.start();
  await Promise.all([copySegments(segments, fps, video), audioTrack && copyAudio(audioTrack, audio)]);
  await output.finalize();
  await clearFileTimes(path);
}

/** Returns whether the file exists, has all frames, and is not cut off. */
export async function isCompleteSegment({ path, frameCount }: EncodedSegment): Promise<boolean> {
  try {
    if (!(await endsWithBox(path))) return false;
    using input = openInput(path);
    const track = await input.getPrimaryVideoTrack();
    return track !== null && (await track.computePacketStats()).packetCount === frameCount;
  } catch {
    return false;
  }
}

/** Returns whether the last MP4 box ends where the file ends. */
async function endsWithBox(path: string): Promise<boolean> {
  await using file = await open(path);
  let end = 0;
  for await (const { offset, bytes } of readBoxes(file)) end = offset + bytes;
  return end === (await file.stat()).size;
}

async function copySegments(
  segments: readonly EncodedSegment[],
  fps: number,
  source: EncodedVideoPacketSource,
): Promise<void> {
  let previousFrames = 0;
  for (const { path, frameCount } of segments) {
    using input = openInput(path);
    const track = await input.getPrimaryVideoTrack();
    const decoderConfig = await track?.getDecoderConfig();
    let count = 0;
    for await (const packet of readPackets(track)) {
      // Times in a file are rounded, so this snaps them to the frame grid.
      const frame = previousFrames + Math.round(packet.timestamp * fps);
      const meta = decoderConfig == null ? undefined : { decoderConfig };
      await source.add(packet.clone({ timestamp: frame / fps, duration: 1 / fps }), meta);
      count++;
    }
    if (count !== frameCount) throw new Error(`A segment has ${count} frames; expected ${frameCount}.`);
    previousFrames += frameCount;
  }
  source.close();
}

async function copyAudio(track: InputAudioTrack, source: EncodedAudioPacketSource): Promise<void> {
  const decoderConfig = await track.getDecoderConfig();
  const meta = decoderConfig === null ? undefined : { decoderConfig };
  for await (const packet of readPackets(track)) await source.add(packet, meta);
  source.close();
}

async function* readPackets(track: InputTrack | null | undefined): AsyncGenerator<EncodedPacket> {
  if (track) yield* new EncodedPacketSink(track).packets();
}
