// `graphwright preview`: draws stills of a scene file. With --watch, redraws them when the file changes, and continues
// after errors.
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toError } from '../lib/errors.ts';
import { readSettings } from '../lib/settings.ts';
import { openScene } from '../render/scene.ts';
import { drawSceneStills } from '../render/stills/stills.ts';
import { evaluateFrame } from '../render/timeline/evaluate.ts';
import {
  type Command,
  CommandFailedError,
  type CommandInput,
  type OptionValue,
  UsageError,
} from './command.ts';
import { parseFrameOption, parseNumberOption } from './options.ts';
import { printSceneIssues, printWarnings, readSceneFile, withSceneFiles } from './scene-file.ts';
import { cleanText } from './terminal/text-width.ts';

const MAX_FRAMES = 24;
const DEFAULT_FRAMES = 4;
/** The delay after a write, because editors write a file in several steps. */
const SETTLE_MS = 80;

export const preview: Command = async input => {
  const { options, args, terminal, signal } = input;
  const [path = ''] = args;
  // The option is parsed before watching starts, because it cannot become valid later.
  const scale = parseNumberOption('--scale', options.scale ?? '0.5', 0.1, 1);
  const draw = async (): Promise<boolean> => {
    try {
      await drawStills(input, path, scale);
      return true;
    } catch (thrown) {
      if (signal.aborted || (thrown instanceof UsageError && options.watch !== true)) throw thrown;
      if (thrown instanceof UsageError)
        terminal.note(`${terminal.paint('red', 'error')}  ${cleanText(thrown.message)}`);
      else printSceneIssues(path, thrown, terminal);
      return false;
    }
  };
  if (options.watch !== true) {
    if (!(await draw())) throw new CommandFailedError('The scene cannot be drawn.');
    return;
  }
  let isFirst = true;
  for await (const _ of watchWrites(path, signal)) {
    await draw();
    if (isFirst) terminal.note(terminal.paint('dim', `Watching ${path}; Ctrl-C ends it.`));
    isFirst = false;
  }
};

async function drawStills(
  { options, terminal, signal }: CommandInput,
  path: string,
  scale: number,
): Promise<void> {
  const start = performance.now();
  const scene = await readSceneFile(path, {});
  const timeline = openScene(scene.graph);
  const out = typeof options.out === 'string' ? options.out : 'preview';
  const file = isStillPath(out) ? out : undefined;
  const frames = parseFrames(
    options.frames,
    timeline.durationInFrames,
    file === undefined ? DEFAULT_FRAMES : 1,
  );
  if (file !== undefined && frames.length > 1)
    throw new UsageError(`--out ${file} takes a single frame; use a folder for ${frames.length} frames.`);
  const result = await withSceneFiles(timeline, scene.folder, signal, files =>
    drawSceneStills(
      {
        lists: frames.map(frame => evaluateFrame(timeline, frame)),
        files,
        scale,
        format: 'png',
        codecs: readSettings(),
      },
      signal,
    ),
  );
  await mkdir(file === undefined ? out : dirname(file), { recursive: true });
  const names = result.frames.map(
    ({ frame }) => file ?? join(out, `frame-${String(frame).padStart(6, '0')}.png`),
  );
  await Promise.all(result.frames.map(({ bytes }, index) => writeFile(names[index] ?? '', bytes)));
  printWarnings([...timeline.warnings, ...result.warnings], terminal);
  const time = new Date().toTimeString().slice(0, 8);
  const duration = `${((performance.now() - start) / 1000).toFixed(1)} s`;
  terminal.print(`${time}  ${names.join(', ')} in ${duration}`);
}

/** Returns whether the path names a file for one still. Throws a UsageError for a picture that is not a PNG. */
function isStillPath(path: string): boolean {
  const extension = extname(path).toLowerCase();
  if (['.jpg', '.jpeg', '.webp', '.gif', '.svg'].includes(extension))
    throw new UsageError(`preview writes PNG files. Use a name that ends in .png, not ${path}.`);
  return extension === '.png';
}

/** Parses frames such as `0,30,60`. Without them, returns the default number of frames at equal distances. */
function parseFrames(option: OptionValue, frameCount: number, defaultCount: number): readonly number[] {
  if (typeof option === 'string') {
    const frames = option.split(',').map(frame => parseFrameOption('--frames', frame.trim(), frameCount));
    if (frames.length <= MAX_FRAMES) return [...new Set(frames)];
    throw new UsageError(`--frames takes at most ${MAX_FRAMES} frames.`);
  }
  const count = Math.min(defaultCount, frameCount);
  return Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * frameCount) / count));
}

/**
 * Yields immediately and after each write of the file, including writes during the caller's drawing. Watches the folder,
 * because editors replace the file.
 */
async function* watchWrites(path: string, signal: AbortSignal): AsyncGenerator<void> {
  let nextWrite = Promise.withResolvers<void>();
  const watcher = watchFolder(dirname(path), name => {
    if (name === null || name === basename(path)) nextWrite.resolve();
  });
  let failure: Error | undefined;
  watcher.on('error', err => {
    failure = err;
    nextWrite.resolve();
  });
  signal.addEventListener('abort', () => nextWrite.resolve(), { once: true });
  try {
    // The version is read before the caller reads the file, so that a later write is not missed.
    let lastVersion = await readVersion(path);
    yield;
    while (!signal.aborted) {
      await nextWrite.promise;
      if (failure !== undefined) throw failure;
      nextWrite = Promise.withResolvers();
      await sleep(SETTLE_MS, undefined, { signal }).catch(() => undefined);
      const version = await readVersion(path);
      // One change triggers several events. A file that is being replaced is absent for a moment.
      if (signal.aborted || version === undefined || version === lastVersion) continue;
      lastVersion = version;
      yield;
    }
  } finally {
    watcher.close();
  }
}

// Unlike the iterator of node:fs/promises, this function starts watching immediately, not at the first `next`.
function watchFolder(folder: string, onChange: (name: string | null) => void): FSWatcher {
  try {
    return watch(folder, (_event, name) => onChange(name));
  } catch (err) {
    throw new UsageError(`${folder} cannot be watched: ${toError(err).message}`, { cause: err });
  }
}

const readVersion = (path: string): Promise<string | undefined> =>
  stat(path, { bigint: true }).then(
    ({ mtimeNs, size, ino }) => `${mtimeNs} ${size} ${ino}`,
    () => undefined,
  );
