// Runs an ffmpeg program with x264 as a back end. Commands become argument lists.
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import {
  type AudioCommand,
  type Backend,
  CHANNELS,
  type CodecCommand,
  type EncodeCommand,
  FRAME_TOLERANCE_SECONDS,
  type FramesCommand,
  SAMPLE_RATE,
} from './command.ts';
import type { Container } from './media-info.ts';

const run = promisify(execFile);
const CHECK_TIMEOUT_MS = 60_000;
const PRESET = 'veryfast';
const CRF = '20';
// With few processors, lookahead threads gain nothing and use 50 MB for frames. The output is the same.
const THREAD_ARGUMENTS = availableParallelism() < 4 ? ['-x264-params', 'threads=2:sync-lookahead=0'] : [];
const AUDIO_BITRATE = '160k';
// 8K, upright or wide.
const MAX_PIXELS = String(7680 * 4320);

// The demuxer is set from the probe. If ffmpeg guessed the format, a playlist could make it open other files.
const DEMUXERS: Readonly<Record<Container, string>> = {
  mp4: 'mov',
  mov: 'mov',
  webm: 'matroska',
  matroska: 'matroska',
  mp3: 'mp3',
  wav: 'wav',
  ogg: 'ogg',
  flac: 'flac',
  aac: 'aac',
  mpegts: 'mpegts',
};

/** Returns the back end, or a phrase that says why this program cannot be used. */
export async function checkFfmpeg(path: string, signal: AbortSignal): Promise<Backend | string> {
  try {
    const { stdout, stderr } = await run(path, ['-encoders'], {
      env: {},
      signal,
      timeout: CHECK_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    const missingEncoders = ['libx264', 'aac'].filter(
      name => !new RegExp(`^ [\\w.]{6} ${name} `, 'm').test(stdout),
    );
    if (missingEncoders.length > 0)
      return `the ffmpeg at ${path} has no encoder ${missingEncoders.join(' and ')}`;
    const [, version = 'unknown'] = /^ffmpeg version (\S{1,80})/m.exec(stderr) ?? [];
    return restoreFfmpeg(path, `x264 ${PRESET} ${CRF}, ffmpeg ${version}`);
  } catch {
    signal.throwIfAborted();
    return `the ffmpeg at ${path} does not start`;
  }
}

/** Creates the back end of a program that was checked before. */
export function restoreFfmpeg(path: string, encoderId: string): Backend {
  const toSpawnSpec = (command: CodecCommand) => ({
    file: path,
    args: [...QUIET_ARGUMENTS, ...ARGUMENTS[command.kind](command as never)],
    env: {},
  });
  return { name: 'ffmpeg', detail: `${path} with x264`, path, encoderId, toSpawnSpec };
}

const QUIET_ARGUMENTS = splitWords('-hide_banner -loglevel error -nostdin');
const COLOR_TAGS = splitWords('-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709');
const AUDIO_FORMAT = splitWords(`-f f32le -ar ${SAMPLE_RATE} -ac ${CHANNELS}`);
const H264 = [
  ...splitWords(`-c:v libx264 -preset ${PRESET} -crf ${CRF}`),
  ...THREAD_ARGUMENTS,
  '-pix_fmt',
  'yuv420p',
  ...COLOR_TAGS,
];
const AAC = splitWords(`-c:a aac -b:a ${AUDIO_BITRATE}`);
/** Equal frames and audio give equal bytes. */
const REPRODUCIBLE_ARGUMENTS = splitWords(
  '-map_metadata -1 -fflags +bitexact -flags +bitexact -movflags +faststart',
);

/** Splits a line of arguments, none of which contains a space. */
function splitWords(line: string): string[] {
  return line.split(' ');
}

const ARGUMENTS = { encode: listEncodeArguments, frames: listFramesArguments, audio: listAudioArguments };

function listEncodeArguments({ path, video, hasAudio, maxSeconds }: EncodeCommand): string[] {
  const format = `-f rawvideo -pixel_format yuv420p -video_size ${video?.width}x${video?.height}`;
  return [
    ...(video === undefined
      ? []
      : [...splitWords(`${format} -framerate ${video.fps}`), ...COLOR_TAGS, '-i', 'pipe:0']),
    ...(hasAudio ? [...AUDIO_FORMAT, '-i', 'pipe:3'] : []),
    ...(video === undefined ? [] : H264),
    ...(hasAudio ? AAC : []),
    ...['-t', String(maxSeconds), ...REPRODUCIBLE_ARGUMENTS, '-f', 'mp4', '-y', path],
  ];
}

/** The demuxers for samples without a header, by codec. */
const SAMPLE_DEMUXERS: Readonly<Record<string, string>> = {
  'pcm-u8': 'u8',
  'pcm-s16': 's16le',
  'pcm-s24': 's24le',
  'pcm-s32': 's32le',
  'pcm-f32': 'f32le',
  'pcm-f64': 'f64le',
  ulaw: 'mulaw',
  alaw: 'alaw',
};

/** Reads the samples of a WAV file whose chunks ffmpeg does not find. */
function listSampleArguments({ path, info: { audio } }: AudioCommand): string[] | undefined {
  const demuxer = SAMPLE_DEMUXERS[audio?.codec ?? ''];
  if (audio?.samples === undefined || demuxer === undefined) return undefined;
  const { start, end } = audio.samples;
  return [
    ...splitWords(`-f ${demuxer} -ar ${audio.sampleRate} -ac ${audio.channels}`),
    ...['-protocol_whitelist', 'file,subfile', '-i', `subfile,,start,${start},end,${end},,:${path}`],
  ];
}

function listInputArguments({ path, info }: FramesCommand | AudioCommand, seek: readonly string[]): string[] {
  const format = ['-f', DEMUXERS[info.container], '-protocol_whitelist', 'file'];
  // Without -copyts, ffmpeg shifts times so that the first packet is at 0. That packet may be encoder delay of the audio,
  // before the first frame. For MP3 the shift is wanted: it puts the first real sample at 0.
  const timestamps = info.container === 'mp3' ? [] : ['-copyts'];
  return [...format, ...timestamps, '-max_pixels', MAX_PIXELS, ...seek, '-i', `file:${path}`];
}

const ALPHA_DECODERS: Readonly<Record<string, string>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' };

function listFramesArguments(command: FramesCommand): string[] {
  const { startSeconds, frameCount, fps, width, height, pixels, info } = command;
  // Seeks to the previous key frame and drops nothing, because the frame at the start may have begun long before.
  const seekSeconds = info.startSeconds + Math.min(startSeconds, info.durationSeconds);
  const seek = splitWords(`-noaccurate_seek -seek_timestamp 1 -ss ${seekSeconds.toFixed(6)}`);
  const shift = info.startSeconds + startSeconds + FRAME_TOLERANCE_SECONDS;
  const range = info.video?.fullRange === true ? 'pc' : 'tv';
  const filters = [
    // If the file's time base were one frame, subtracting the tolerance would round to a whole frame.
    'settb=AVTB',
    `setpts=PTS-${shift.toFixed(6)}/TB`,
    'tpad=stop=-1:stop_mode=clone',
    // Rounds times up and clamps them to 0, so that output frame k shows the last input frame that started by then.
    `fps=fps=${fps}:round=up:start_time=0`,
    `scale=${width}:${height}:flags=bicubic:in_color_matrix=${info.video?.matrix ?? 'bt709'}:in_range=${range}` +
      ':out_color_matrix=bt709:out_range=tv',
    `format=${pixels === 'i420' ? 'yuv420p' : 'rgba'}`,
  ];
  // ffmpeg's own decoders ignore the separate alpha stream of WebM.
  const decoder = info.video?.hasAlpha === true ? ALPHA_DECODERS[info.video.codec ?? ''] : undefined;
  return [
    ...(decoder === undefined || pixels === 'i420' ? [] : ['-c:v', decoder]),
    ...listInputArguments(command, startSeconds === 0 ? [] : seek),
    ...['-map', '0:v:0', '-an', '-vf', filters.join(','), '-frames:v', String(frameCount)],
    ...['-f', 'rawvideo', '-y', 'pipe:1'],
  ];
}

function listAudioArguments(command: AudioCommand): string[] {
  const { startSeconds, seconds, info } = command;
  // Trims after decoding, because seeking in a VBR MP3 is imprecise.
  const mix = info.audio === undefined ? '' : `${buildPanFilter(info.audio.channels)},`;
  const filters = `${mix}asetpts=PTS-${info.startSeconds.toFixed(6)}/TB,aresample=${SAMPLE_RATE}:async=1:first_pts=0,atrim=start=${startSeconds.toFixed(6)}:duration=${seconds.toFixed(6)}`;
  return [
    ...(listSampleArguments(command) ?? listInputArguments(command, [])),
    ...['-map', '0:a:0', '-vn', '-af', filters, ...AUDIO_FORMAT, '-y', 'pipe:1'],
  ];
}

/** Returns the filter that mixes to stereo. The default mix of ffmpeg makes mono quieter and depends on the sample format. */
function buildPanFilter(channels: number): string {
  if (channels === 1) return 'pan=stereo|c0=c0|c1=c0';
  const mixSide = (front: number, back: number): string =>
    [
      `c${front}`,
      ...[2, back].filter(channel => channel < channels).map(channel => `0.7071*c${channel}`),
    ].join('+');
  return channels === 2 ? 'anull' : `pan=stereo|c0=${mixSide(0, 4)}|c1=${mixSide(1, 5)}`;
}
