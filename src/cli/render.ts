// `graphwright render`: renders a scene file or template to a video, or one frame to an image, without service or
// database.
import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { readSettings } from '../lib/settings.ts';
import { drawSceneStills } from '../render/stills/stills.ts';
import type { Timeline } from '../render/timeline/compile.ts';
import { evaluateFrame } from '../render/timeline/evaluate.ts';
import { renderVideo } from '../render/video/render-video.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';
import { parseFrameOption, parseNumberOption } from './options.ts';
import { openSceneFile, printWarnings, readSceneFile, type SceneFile, withSceneFiles } from './scene-file.ts';
import { startProgress } from './terminal/progress.ts';
import type { Terminal } from './terminal/terminal.ts';

const FORMATS = { '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg', '.webp': 'webp' } as const;

export const render: Command = async input => {
  const { args, options, terminal } = input;
  const { frame, out = frame === undefined ? 'out.mp4' : 'out.png' } = options;
  const extension = extname(String(out)).toLowerCase();
  const format = FORMATS[extension as keyof typeof FORMATS];
  if (frame === undefined ? extension !== '.mp4' : format === undefined)
    throw new UsageError(
      frame === undefined
        ? 'Use an output file ending in .mp4 for a video, or --frame N with .png, .jpg or .webp for an image.'
        : 'Use an output file ending in .png, .jpg or .webp for a frame.',
    );
  const scene = await readSceneFile(args[0], options);
  const timeline = openSceneFile(scene, terminal);
  const renderInput: RenderInput = {
    ...input,
    scene,
    timeline,
    out: String(out),
    scale: parseNumberOption('--scale', options.scale ?? '1', 0.1, 1),
  };
  await (format === undefined ? renderClip(renderInput) : renderFrame(renderInput, format));
};

interface RenderInput extends CommandInput {
  readonly scene: SceneFile;
  readonly timeline: Timeline;
  readonly out: string;
  readonly scale: number;
}

async function renderFrame(
  { scene, timeline, options, terminal, signal, out, scale }: RenderInput,
  format: (typeof FORMATS)[keyof typeof FORMATS],
): Promise<void> {
  const frame = parseFrameOption('--frame', options.frame, timeline.durationInFrames);
  const rendered = await withSceneFiles(timeline, scene.folder, signal, files =>
    drawSceneStills(
      { lists: [evaluateFrame(timeline, frame)], files, scale, format, codecs: readSettings() },
      signal,
    ),
  );
  const [still] = rendered.frames;
  if (still === undefined) throw new Error('Nothing was drawn.');
  await writeFile(out, still.bytes);
  const warnings = [...new Set([...timeline.warnings, ...rendered.warnings])];
  const { durationInFrames } = timeline;
  const { width, height } = still;
  if (options.json === true) printJson({ out, frame, durationInFrames, width, height, warnings }, terminal);
  else {
    printWarnings(warnings, terminal);
    terminal.print(`${out}: frame ${frame} of ${durationInFrames}, ${width} × ${height}.`);
  }
}

async function renderClip(input: RenderInput): Promise<void> {
  const { scene, timeline, options, terminal, signal, out, scale } = input;
  const range = parseRange(options.range, timeline);
  const start = performance.now();
  const show = startProgress(terminal);
  const onFrame = (done: number, total: number): void => {
    const speed = (1000 * done) / (performance.now() - start);
    const text = `frame ${done} of ${total}, ${speed.toFixed(0)} a second`;
    if (options.json !== true) show({ done, total, text });
  };
  try {
    const result = await withSceneFiles(timeline, scene.folder, signal, files =>
      renderVideo(
        { graph: scene.graph, files, range, scale, path: out, codecs: readSettings() },
        { onFrame },
        signal,
      ),
    );
    terminal.erase();
    if (options.json === true) return printJson({ out, ...result }, terminal);
    printWarnings(result.warnings, terminal);
    const { width, height, durationSeconds, bytes, backend } = result;
    const size = `${width} × ${height}, ${durationSeconds.toFixed(2)} s, ${(bytes / 1e6).toFixed(1)} MB`;
    terminal.print(`${out}: ${size}, with ${backend} in ${getSecondsSince(start)} s.`);
  } finally {
    terminal.erase();
  }
}

/** Parses `a-b` as the frames from a to b, without b. */
function parseRange(value: unknown, timeline: Timeline): readonly [number, number] {
  const { durationInFrames } = timeline;
  if (value === undefined) return [0, durationInFrames];
  const [, from, to] = /^(\d+)-(\d+)$/.exec(String(value)) ?? [];
  const range = [Number(from), Number(to)] as const;
  if (range[0] < range[1] && range[1] <= durationInFrames) return range;
  throw new UsageError(
    `--range must be two frames such as 0-${durationInFrames}; the second is not rendered.`,
  );
}

const getSecondsSince = (start: number): string => ((performance.now() - start) / 1000).toFixed(1);

function printJson(value: object, terminal: Terminal): void {
  terminal.print(JSON.stringify(value, null, 2));
}
