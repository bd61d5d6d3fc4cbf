// `graphwright preview`: stills of a scene file, drawn anew whenever it changes; faults are told and watching goes on.
import { mkdir, stat, watch, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openScene } from '../render/scene.ts';
import { drawSceneStills } from '../render/stills/stills.ts';
import { evaluateFrame } from '../render/timeline/evaluate.ts';
import type { Command, CommandInput } from './command.ts';
import { UsageError, WorkFailed } from './failure.ts';
import {
  printFaults,
  printWarnings,
  readFrame,
  readNumber,
  readSceneFile,
  withSceneFiles,
} from './scene-file.ts';
import { cleanText } from './text-width.ts';

const MOST_FRAMES = 24;
const DEFAULT_FRAMES = 4;
/** Editors write a file in several steps. */
const SETTLE_MS = 80;

export const preview: Command = async input => {
  const { options, args, terminal, signal } = input;
  const [path = ''] = args;
  // Before watching: an option that makes no sense does not get better by waiting.
  const scale = readNumber('--scale', options.scale ?? '0.5', 0.1, 1);
  const draw = async (): Promise<boolean> => {
    try {
      await drawStills(input, path, scale);
      return true;
    } catch (thrown) {
      if (signal.aborted || (thrown instanceof UsageError && options.watch !== true)) throw thrown;
      if (thrown instanceof UsageError)
        terminal.note(`${terminal.paint('red', 'error')}  ${cleanText(thrown.message)}`);
      else printFaults(path, thrown, terminal);
      return false;
    }
  };
  const isDrawn = await draw();
  if (options.watch !== true) {
    if (!isDrawn) throw new WorkFailed('The scene cannot be drawn.');
    return;
  }
  terminal.note(terminal.paint('dim', `Watching ${path}; Ctrl-C ends it.`));
  for await (const _ of changesOf(path, signal)) await draw();
};

async function drawStills(
  { options, terminal, signal }: CommandInput,
  path: string,
  scale: number,
): Promise<void> {
  const start = performance.now();
  const scene = await readSceneFile(path, {});
  const timeline = openScene(scene.graph);
  const frames = readFrames(options.frames, timeline);
  const drawn = await withSceneFiles(timeline, scene.folder, signal, files =>
    drawSceneStills(
      { lists: frames.map(frame => evaluateFrame(timeline, frame)), files, scale, format: 'png' },
      signal,
    ),
  );
  const folder = typeof options.out === 'string' ? options.out : 'preview';
  await mkdir(folder, { recursive: true });
  const names = drawn.frames.map(({ frame }) => join(folder, `frame-${String(frame).padStart(6, '0')}.png`));
  await Promise.all(drawn.frames.map(({ bytes }, index) => writeFile(names[index] ?? '', bytes)));
  printWarnings([...timeline.warnings, ...drawn.warnings], terminal);
  const time = new Date().toTimeString().slice(0, 8);
  const took = `${((performance.now() - start) / 1000).toFixed(1)} s`;
  terminal.print(`${time}  ${names.join(', ')} in ${took}`);
}

/** `0,30,60`; absent: a few at equal distances. */
function readFrames(value: unknown, timeline: Parameters<typeof readFrame>[2]): readonly number[] {
  const { durationInFrames } = timeline;
  if (typeof value === 'string') {
    const frames = value.split(',').map(frame => readFrame('--frames', frame.trim(), timeline));
    if (frames.length <= MOST_FRAMES) return [...new Set(frames)];
    throw new UsageError(`--frames takes at most ${MOST_FRAMES} frames.`);
  }
  const count = Math.min(DEFAULT_FRAMES, durationInFrames);
  return Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * durationInFrames) / count));
}

/** One for each time that the file was written. Its folder is watched, since editors put a new file in its place. */
async function* changesOf(path: string, signal: AbortSignal): AsyncGenerator<void> {
  let last = await writtenAt(path);
  try {
    for await (const { filename } of watch(dirname(path), { signal })) {
      if (filename !== basename(path)) continue;
      await sleep(SETTLE_MS);
      const now = await writtenAt(path);
      // Several events tell of one change; a file that is away for a moment comes back.
      if (now === undefined || now === last) continue;
      last = now;
      yield;
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}

const writtenAt = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
