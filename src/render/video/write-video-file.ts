// Does the work of the render process: encodes the frames and audio in parallel and joins them into one file.
import { rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { restoreBackend } from '../../codecs/backend.ts';
import type { Backend } from '../../codecs/command.ts';
import { type EncodeRequest, encode } from '../../codecs/encode.ts';
import { encodeInProcess } from '../../codecs/host/encode-in-process.ts';
import { type EncodedSegment, isCompleteSegment, joinSegments } from '../../codecs/join.ts';
import { AppError } from '../../lib/errors.ts';
import { openScene } from '../scene.ts';
import { readPeaks } from '../sound/peaks.ts';
import { resolveAudio } from '../sound/resolve-sounds.ts';
import { renderAudio } from '../sound/sound.ts';
import type { Timeline } from '../timeline/compile.ts';
import { type FrameSource, openFrames } from './frame-source.ts';
import { type FrameRange, SegmentNamer, splitIntoRanges } from './segments.ts';
import type { ProcessMessage, ProcessRequest, VideoResult } from './video-request.ts';

type SendMessage = (message: ProcessMessage) => void;

interface Work {
  readonly request: ProcessRequest;
  readonly report: SendMessage;
  readonly backend: Backend;
  readonly timeline: Timeline;
  /** Size of the output frames. Both sides are even. */
  readonly width: number;
  readonly height: number;
  readonly frames: FrameSource;
}

/** Writes the finished file to `request.path`, and intermediate files to the existing folder `request.workFolder`. */
export async function writeVideoFile(request: ProcessRequest, report: SendMessage): Promise<VideoResult> {
  const { graph, files, range, scale } = request;
  const scene = openScene(graph);
  const { fps, durationInFrames } = scene;
  if (range[1] > durationInFrames)
    throw new AppError(
      'invalid_request',
      `The range ends after the last frame: the video has ${durationInFrames} frames.`,
    );
  const backend = restoreBackend(request.backend);
  const timeline = { ...scene, peaks: await readPeaks(scene, files, backend, neverAborted) };
  const size = { width: toEven(timeline.width * scale), height: toEven(timeline.height * scale) };
  const { peaks } = timeline;
  const frames = openFrames(
    { graph, files, peaks, scale, ...size, backend: request.backend },
    request.threadCount,
  );
  const work: Work = { request, report, backend, timeline, frames, ...size };
  const audio = resolveAudio(timeline, files);
  const hasAudio = audio.sounds.length > 0;
  // Separate encoders: one that receives both would accept no frames until the loudness has been measured.
  const [segments, sound] = await Promise.all([
    encodeAllSegments(work),
    hasAudio ? renderAudioFile(work) : undefined,
  ]);
  await frames.close();
  const [segment] = segments;
  const isFinished = segments.length === 1 && sound === undefined && request.segmentFolder === undefined;
  if (segment !== undefined && isFinished) await rename(segment.path, request.path);
  else await joinSegments({ path: request.path, fps, segments, audioPath: sound });
  const { size: bytes } = await stat(request.path);
  const frameCount = range[1] - range[0];
  return {
    backend: request.backend.name,
    bytes,
    ...size,
    fps,
    frameCount,
    durationSeconds: frameCount / fps,
    hasAudio,
    warnings: [...new Set([...timeline.warnings, ...audio.warnings, ...frames.warnings])],
  };
}

const toEven = (side: number): number => Math.max(2, Math.floor(Math.round(side) / 2) * 2);

/** Encodes the audio with the available back end. Never aborts, because a render is stopped by killing its process. */
const pipeToEncoder = (backend: Backend, request: EncodeRequest): Promise<void> =>
  backend.name === 'ffmpeg' ? encode(backend, request, neverAborted) : encodeInProcess(request);
const neverAborted = new AbortController().signal;

async function renderAudioFile({ request, report, backend, timeline }: Work): Promise<string> {
  const path = join(request.workFolder, 'sound.mp4');
  const [from, to] = request.range;
  async function* sound(): AsyncGenerator<Float32Array> {
    for await (const block of renderAudio(timeline, request.files, [from, to], backend, neverAborted)) {
      report({ kind: 'sound' });
      yield block;
    }
  }
  await pipeToEncoder(backend, { path, maxSeconds: (to - from) / timeline.fps, audio: sound() });
  return path;
}

async function encodeAllSegments(work: Work): Promise<readonly EncodedSegment[]> {
  const { request, frames } = work;
  if (request.segmentFolder !== undefined) return encodeSegments(work, request.segmentFolder);
  const path = join(request.workFolder, 'frames.mp4');
  frames.request(request.range);
  await encodeRange(work, request.range, path);
  return [{ path, frameCount: request.range[1] - request.range[0] }];
}

async function encodeRange(
  { request, report, backend, timeline, frames, width, height }: Work,
  range: FrameRange,
  path: string,
): Promise<void> {
  const { fps } = timeline;
  const total = request.range[1] - request.range[0];
  const framesBefore = range[0] - request.range[0];
  await pipeToEncoder(backend, {
    path,
    maxSeconds: (range[1] - range[0]) / fps,
    video: { width, height, fps, pixels: 'i420', frames: frames.read(range) },
    onFrame: count => report({ kind: 'frame', done: framesBefore + count, total }),
  });
}

interface Segment extends EncodedSegment {
  readonly range: FrameRange;
  readonly isReused: boolean;
}

/** Encodes the segments that do not exist in the folder, and moves each there once it is complete. */
async function encodeSegments(work: Work, folder: string): Promise<readonly EncodedSegment[]> {
  const { request, report } = work;
  const ranges = splitIntoRanges(work.timeline, request.range);
  const find = createSegmentFinder(work, folder);
  const segments: EncodedSegment[] = [];
  let nextSegment = ranges[0] && find(ranges[0]);
  for (let index = 1; nextSegment !== undefined; index++) {
    const { path, frameCount, range, isReused }: Segment = await nextSegment;
    // The next segment is looked up, and drawn ahead, while this one is encoded.
    const nextRange = ranges[index];
    nextSegment = nextRange && find(nextRange);
    nextSegment?.catch(() => undefined);
    if (!isReused) {
      const part = join(request.workFolder, basename(path));
      await encodeRange(work, range, part);
      await rename(part, path);
    }
    report({ kind: 'frame', done: range[1] - request.range[0], total: request.range[1] - request.range[0] });
    report({ kind: 'segment', path });
    segments.push({ path, frameCount });
  }
  return segments;
}

/** Returns a function that names the segment of a range, and requests the frames if the folder does not have it. */
function createSegmentFinder(
  { request, backend, timeline, width, height, frames }: Work,
  folder: string,
): (range: FrameRange) => Promise<Segment> {
  const encoding = JSON.stringify([backend.encoderId, width, height, timeline.fps]);
  const namer = new SegmentNamer(timeline, request.files, encoding);
  return async range => {
    const path = join(folder, `${await namer.name(range)}.mp4`);
    const segment = { path, frameCount: range[1] - range[0] };
    const isReused = await isCompleteSegment(segment);
    if (!isReused) frames.request(range);
    return { ...segment, range, isReused };
  };
}
