// Creates clips whose frames show their numbers, and draws scenes with video elements.
import { join } from 'node:path';
import type { Backend } from '../../../src/codecs/command.ts';
import type { Clip } from '../../../src/codecs/decode.ts';
import { encode } from '../../../src/codecs/encode.ts';
import { checkFfmpeg } from '../../../src/codecs/ffmpeg.ts';
import { checkCodecHost } from '../../../src/codecs/host/codec-host.ts';
import { probeMedia } from '../../../src/codecs/probe/probe.ts';
import { findOnPath } from '../../../src/lib/settings.ts';
import { createPainter } from '../../../src/render/paint/frame.ts';
import { loadResources } from '../../../src/render/paint/resources.ts';
import { openScene } from '../../../src/render/scene.ts';
import type { ResourceFile } from '../../../src/render/stills/still.ts';
import { evaluateFrame } from '../../../src/render/timeline/evaluate.ts';
import { ClipFrames } from '../../../src/render/video/clip-frames.ts';
import { createVideo, drawNumberedFrames } from '../../codecs/clips.ts';
import { isNightly } from '../tier.ts';

const { signal } = new AbortController();
const ffmpegPath = findOnPath('ffmpeg');

/** The codec back ends by name. A string is the reason why the back end is not available on this machine. */
export const BACKENDS: readonly (readonly [string, Backend | string])[] = [
  ['codec host', await checkCodecHost([], signal)],
  ['ffmpeg', ffmpegPath === undefined ? 'no ffmpeg is on the PATH' : await checkFfmpeg(ffmpegPath, signal)],
];

const available = BACKENDS.filter(([, backend]) => typeof backend !== 'string');

/**
 * The back ends for tests of the renderer, which calls all back ends in the same way. By day, it is only the last available
 * one, which starts faster. `test/codecs` tests both.
 */
export const RENDER_BACKENDS = isNightly || available.length === 0 ? BACKENDS : available.slice(-1);

/** Creates a video whose frames show their numbers. */
export async function makeClip(
  backend: Backend,
  folder: string,
  { fps, frameCount, ground = [0, 0, 0] }: { fps: number; frameCount: number; ground?: readonly number[] },
): Promise<Clip> {
  const path = join(folder, `clip-${fps}-${frameCount}-${ground.join('-')}.mp4`);
  const video = createVideo(drawNumberedFrames(frameCount, ground), fps);
  await encode(backend, { path, maxSeconds: frameCount / fps + 1, video }, signal);
  return { path, info: await probeMedia(path, signal) };
}

export interface DrawnFrame {
  readonly frame: number;
  readonly rgba: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Draws the frames in this order. Every video of the scene is `clip`, which may also be another kind of file. */
export async function drawClips(
  backend: Backend,
  graph: object,
  frames: Iterable<number>,
  clip: Clip | ResourceFile,
  scale = 1,
): Promise<{ readonly drawn: readonly DrawnFrame[]; readonly warnings: readonly string[] }> {
  const timeline = openScene(graph);
  const file: ResourceFile = 'kind' in clip ? clip : { kind: 'clip', ...clip };
  const resources = await loadResources(new Map([...timeline.resources.keys()].map(key => [key, file])));
  const painter = createPainter(timeline.width, timeline.height, scale, resources);
  const clips = new ClipFrames(resources, {
    backend,
    scale,
    signal,
    getList: frame => (frame < timeline.durationInFrames ? evaluateFrame(timeline, frame) : undefined),
  });
  const drawn: DrawnFrame[] = [];
  const warnings = new Set<string>();
  try {
    for (const frame of frames) {
      const list = evaluateFrame(timeline, frame);
      await clips.prepare(list);
      for (const warning of painter.paint(list).warnings) warnings.add(warning);
      const { canvas, ctx: brush } = painter.surface;
      const { width, height } = canvas;
      const { data } = brush.getImageData(0, 0, width, height);
      drawn.push({ frame, rgba: new Uint8Array(data.buffer, data.byteOffset, data.length), width, height });
    }
  } finally {
    await clips.end();
  }
  return { drawn, warnings: [...warnings] };
}
