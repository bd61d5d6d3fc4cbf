// Reads the properties of an opened media file.
import type { Input, InputAudioTrack, InputVideoTrack } from 'mediabunny';
import type { AudioInfo, MediaInfo, VideoInfo } from '../media-info.ts';
import { findContainer, findStartSeconds } from '../open-input.ts';

/** Number of packets from which the frame rate is estimated. */
const RATE_PACKETS = 120;
const [MIN_FPS, MAX_FPS] = [1, 240];
const HD_HEIGHT = 720;

export async function readMediaInfo(input: Input): Promise<MediaInfo> {
  const { container, contentType, videoTrack, audioTrack } = await readTracks(input);
  const video = videoTrack && (await probeVideo(videoTrack));
  const audio = audioTrack && (await probeAudio(audioTrack));
  const tracks = [videoTrack, audioTrack].filter(track => track !== null);
  const startSeconds = clampFinite(await findStartSeconds(input), 0, 1e9);
  const duration = (await input.computeDuration(tracks, { metadataOnly: true })) - startSeconds;
  return {
    container,
    contentType,
    startSeconds,
    durationSeconds: clampFinite(duration, 0, 1e6),
    ...(video && { video }),
    ...(audio && { audio }),
  };
}

/** Returns the content type. Reads nothing after the first frame or sample. */
export async function readContentType(input: Input): Promise<string> {
  const { contentType } = await readTracks(input);
  // A header may name tracks that have no data.
  await findStartSeconds(input);
  return contentType;
}

async function readTracks(input: Input) {
  const container = await findContainer(input);
  if (container === undefined) throw new Error('Unknown container format.');
  const videoTrack = await input.getPrimaryVideoTrack();
  const audioTrack = await input.getPrimaryAudioTrack();
  if (videoTrack === null && audioTrack === null) throw new Error('The file has no tracks.');
  const contentType = CONTENT_TYPES[container]?.[videoTrack === null ? 1 : 0] ?? `audio/${container}`;
  return { container, contentType, videoTrack, audioTrack };
}

// Content types of files with video, and without.
const CONTENT_TYPES: Readonly<Partial<Record<MediaInfo['container'], readonly [string, string]>>> = {
  mp4: ['video/mp4', 'audio/mp4'],
  mov: ['video/quicktime', 'audio/mp4'],
  webm: ['video/webm', 'audio/webm'],
  matroska: ['video/x-matroska', 'audio/x-matroska'],
  ogg: ['video/ogg', 'audio/ogg'],
  mp3: ['audio/mpeg', 'audio/mpeg'],
  mpegts: ['video/mp2t', 'video/mp2t'],
};

async function probeVideo(track: InputVideoTrack): Promise<VideoInfo> {
  const height = await track.getDisplayHeight();
  const { matrix, fullRange } = await track.getColorSpace();
  const { bestGuessFrameRate } = await track.computeFrameRateMetrics({ targetPacketCount: RATE_PACKETS });
  const isSd = matrix === 'smpte170m' || matrix === 'bt470bg';
  return {
    codec: await track.getCodec(),
    width: clampFinite(await track.getDisplayWidth(), 1, 65_536),
    height: clampFinite(height, 1, 65_536),
    rotation: await track.getRotation(),
    fps: clampFinite(bestGuessFrameRate, MIN_FPS, MAX_FPS),
    matrix: isSd || (matrix !== 'bt709' && height < HD_HEIGHT) ? 'bt601' : 'bt709',
    fullRange: fullRange === true,
    ...((await track.canBeTransparent()) && { hasAlpha: true as const }),
  };
}

async function probeAudio(track: InputAudioTrack): Promise<AudioInfo> {
  return {
    codec: await track.getCodec(),
    sampleRate: clampFinite(await track.getSampleRate(), 1000, 768_000),
    channels: clampFinite(await track.getNumberOfChannels(), 1, 64),
  };
}

/** Limits a header value to a plausible range. */
function clampFinite(value: number, min: number, max: number): number {
  if (!Number.isFinite(value)) throw new Error('A header value is not a number.');
  return Math.min(max, Math.max(min, value));
}
