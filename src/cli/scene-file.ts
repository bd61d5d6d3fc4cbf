// Opens scenes for the command line from a file, or from a template with props, reads the files that a scene uses, and
// prints issues with their JSON pointers.
import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { AppError, toError } from '../lib/errors.ts';
import { createGuardedFetch } from '../lib/fetch.ts';
import { readFileChunks } from '../lib/files.ts';
import { withRenderFiles } from '../render/read-files.ts';
import type { ReadSource } from '../render/render-io.ts';
import { openScene } from '../render/scene.ts';
import type { ResourceFile } from '../render/stills/still.ts';
import { getTemplates } from '../render/templates/catalog.ts';
import { fillTemplate } from '../render/templates/template.ts';
import type { Timeline } from '../render/timeline/compile.ts';
import { CommandFailedError, type OptionValue, UsageError } from './command.ts';
import type { Terminal } from './terminal/terminal.ts';
import { cleanText } from './terminal/text-width.ts';

const MAX_SCENE_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

export interface SceneFile {
  /** The scene graph, as passed to openScene. */
  readonly graph: unknown;
  /** The path of the file, or the id of the template. */
  readonly name: string;
  /** The folder of the files that the scene uses. */
  readonly folder: string;
}

/** Reads a scene file or, with `--template`, fills a template with the props of a file. */
export async function readSceneFile(
  path: string | undefined,
  { template, props }: Readonly<Record<string, OptionValue>>,
): Promise<SceneFile> {
  if (typeof template !== 'string') {
    if (path === undefined) throw new UsageError('Specify a scene file, or a template with --template ID.');
    return { graph: await readJson(path), name: path, folder: dirname(path) };
  }
  if (path !== undefined) throw new UsageError('Specify either a scene file or --template, not both.');
  const definition = getTemplates().get(template);
  if (definition === undefined)
    throw new UsageError(
      `Template ${template} not found. Available templates: ${[...getTemplates().keys()].join(', ')}.`,
    );
  const values = typeof props === 'string' ? await readJson(props) : {};
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new UsageError(`${String(props)} must contain an object of props.`);
  const folder = typeof props === 'string' ? dirname(props) : '.';
  return { graph: fillTemplate(definition, values as Record<string, unknown>), name: template, folder };
}

/** Returns the timeline of a scene. For an invalid scene, prints the issues and throws CommandFailedError. */
export function openSceneFile({ graph, name }: SceneFile, terminal: Terminal): Timeline {
  try {
    return openScene(graph);
  } catch (thrown) {
    printSceneIssues(name, thrown, terminal);
    throw new CommandFailedError('The scene graph cannot be drawn.', { cause: thrown });
  }
}

/** Prints one line per issue. Rethrows errors without issues. */
export function printSceneIssues(name: string, thrown: unknown, terminal: Terminal): void {
  if (!(thrown instanceof AppError) || thrown.issues === undefined) throw thrown;
  for (const { path = '', message } of thrown.issues)
    terminal.note(
      `${terminal.paint('red', 'error')}  ${terminal.paint('dim', `${name}#${path}`)}  ${cleanText(message)}`,
    );
}

export function printWarnings(warnings: readonly string[], terminal: Terminal): void {
  for (const warning of new Set(warnings))
    terminal.note(`${terminal.paint('yellow', 'warning')}  ${cleanText(warning)}`);
}

/** Reads the files that the scene uses, and calls `work` with them. */
export async function withSceneFiles<T>(
  { resources }: Timeline,
  folder: string,
  signal: AbortSignal,
  work: (files: ReadonlyMap<string, ResourceFile>) => Promise<T>,
): Promise<T> {
  const client = createGuardedFetch({ allowPrivate: false, trustedUrls: [] });
  try {
    return await withRenderFiles(resources.values(), createFileReader(folder, client), signal, work);
  } finally {
    await client.close();
  }
}

async function readJson(path: string): Promise<unknown> {
  try {
    const { size } = await stat(path);
    if (size > MAX_SCENE_BYTES) throw new UsageError(`${path} has over ${MAX_SCENE_BYTES} bytes.`);
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    throw new UsageError(`${path} cannot be read as JSON: ${toError(thrown).message}`, { cause: thrown });
  }
}

/** Returns a function that opens paths that start with ./ in the folder, and URLs with the guarded client. */
function createFileReader(folder: string, client: ReturnType<typeof createGuardedFetch>): ReadSource {
  return async (source, { maxBytes, signal }) => {
    if ('mediaId' in source)
      throw new AppError('invalid_request', 'library media are available only in a running service');
    if (source.src.startsWith('./'))
      return { body: await openSceneResource(folder, source.src, maxBytes), declaredContentType: undefined };
    const response = await client.stream(source.src, { signal, timeoutMs: TIMEOUT_MS, maxBytes });
    if (response.status === 200)
      return { body: response.body, declaredContentType: response.headers['content-type'] };
    response.close();
    throw new AppError('fetch_failed', `its URL responded with status ${response.status}`);
  };
}

async function openSceneResource(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<AsyncIterable<Uint8Array>> {
  const path = resolve(folder, name);
  const relativePath = relative(resolve(folder), path);
  if (relativePath.startsWith('..') || isAbsolute(relativePath))
    throw new AppError('invalid_request', 'the file is outside the folder of the scene');
  try {
    const stats = await stat(path);
    if (stats.size > maxBytes) throw new AppError('file_too_large', `the file has over ${maxBytes} bytes`);
    if (stats.isFile()) return readFileChunks(path);
    throw new AppError('not_found', `${name} is not a file`);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError('not_found', `${name} cannot be read`, { cause: thrown });
  }
}
