// `graphwright render`: draws a frame of a scene file as a picture, without service or database.
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, isAbsolute, relative, resolve } from 'node:path';
import { AppError, toError } from '../lib/errors.ts';
import { createGuardedFetch } from '../lib/fetch.ts';
import { type ReadSource, withRenderFiles } from '../render/files.ts';
import { openScene } from '../render/scene.ts';
import { drawSceneStills } from '../render/stills.ts';
import { evaluateFrame } from '../render/timeline/evaluate.ts';
import type { Command } from './command.ts';
import { UsageError, WorkFailed } from './failure.ts';
import type { Terminal } from './terminal.ts';
import { cleanText } from './text-width.ts';

const MAX_SCENE_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

const FORMATS = { '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg', '.webp': 'webp' } as const;

export const render: Command = async ({ args, options, terminal, signal }) => {
  const [path = ''] = args;
  const out = typeof options.out === 'string' ? options.out : 'out.png';
  const format = FORMATS[extname(out).toLowerCase() as keyof typeof FORMATS];
  if (format === undefined || options.frame === undefined)
    throw new UsageError(
      'Only single frames can be drawn yet: give --frame N and an output that ends in .png, .jpg or .webp.',
    );
  const timeline = await openFile(path, terminal);
  const frame = readNumber('--frame', options.frame, 0, timeline.durationInFrames - 1);
  const scale = readNumber('--scale', options.scale ?? '1', 0.1, 1);
  if (!Number.isInteger(frame)) throw new UsageError('--frame must be a whole number.');
  const client = createGuardedFetch({ allowPrivate: false, trustedOrigins: [] });
  try {
    const drawn = await withRenderFiles(
      timeline.resources.values(),
      fileReader(dirname(path), client),
      signal,
      files => drawSceneStills({ lists: [evaluateFrame(timeline, frame)], files, scale, format }, signal),
    );
    const [still] = drawn.frames;
    if (still === undefined) throw new WorkFailed('Nothing was drawn.');
    await writeFile(out, still.bytes);
    const warnings = [...timeline.warnings, ...drawn.warnings];
    const { durationInFrames } = timeline;
    if (options.json === true)
      terminal.print(
        JSON.stringify(
          { out, frame, durationInFrames, width: still.width, height: still.height, warnings },
          null,
          2,
        ),
      );
    else {
      for (const warning of warnings)
        terminal.note(`${terminal.paint('yellow', 'warning')}  ${cleanText(warning)}`);
      terminal.print(`${out}: frame ${frame} of ${durationInFrames}, ${still.width} × ${still.height}.`);
    }
  } finally {
    await client.close();
  }
};

async function openFile(path: string, terminal: Terminal): Promise<ReturnType<typeof openScene>> {
  const scene = await readScene(path);
  try {
    return openScene(scene);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.issues === undefined) throw thrown;
    for (const { path: at = '', message } of thrown.issues)
      terminal.note(
        `${terminal.paint('red', 'error')}  ${terminal.paint('dim', `${path}#${at}`)}  ${cleanText(message)}`,
      );
    throw new WorkFailed('The scene graph cannot be drawn.', { cause: thrown });
  }
}

async function readScene(path: string): Promise<unknown> {
  try {
    const { size } = await stat(path);
    if (size > MAX_SCENE_BYTES) throw new UsageError(`${path} has over ${MAX_SCENE_BYTES} bytes.`);
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    throw new UsageError(`${path} cannot be read as JSON: ${toError(thrown).message}`, { cause: thrown });
  }
}

function readNumber(name: string, value: unknown, least: number, most: number): number {
  const number = Number(value);
  if (Number.isFinite(number) && number >= least && number <= most) return number;
  throw new UsageError(`${name} must be from ${least} to ${most}.`);
}

/** Paths that begin with ./ are files beside the scene or below it; anything else goes through the guarded client. */
function fileReader(folder: string, client: ReturnType<typeof createGuardedFetch>): ReadSource {
  return async (source, { maxBytes, signal }) => {
    if ('mediaId' in source)
      throw new AppError('invalid_request', 'media of the library are there in a running service only');
    if (source.src.startsWith('./'))
      return { body: await openBeside(folder, source.src, maxBytes), declared: undefined };
    const answer = await client.stream(source.src, { signal, timeoutMs: TIMEOUT_MS, maxBytes });
    if (answer.status === 200) return { body: answer.body, declared: answer.headers['content-type'] };
    // To leave an iteration at its first step ends the connection.
    for await (const _ of answer.body) break;
    throw new AppError('fetch_failed', `its address answered with status ${answer.status}`);
  };
}

async function openBeside(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<AsyncIterable<Uint8Array>> {
  const path = resolve(folder, name);
  const inside = relative(resolve(folder), path);
  if (inside.startsWith('..') || isAbsolute(inside))
    throw new AppError('invalid_request', 'the file lies outside the folder of the scene');
  try {
    const found = await stat(path);
    if (found.size > maxBytes) throw new AppError('file_too_large', `the file has over ${maxBytes} bytes`);
    if (found.isFile()) return createReadStream(path);
    throw new AppError('not_found', `${name} is no file`);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError('not_found', `there is no readable file ${name}`, { cause: thrown });
  }
}
