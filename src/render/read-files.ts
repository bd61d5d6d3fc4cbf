// Reads and prepares the files that a scene refers to: decodes and re-encodes images, and downloads and probes video
// and audio files.
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { probeMedia } from '../codecs/probe/probe.ts';
import { AppError, toError } from '../lib/errors.ts';
import { FetchError } from '../lib/fetch/error.ts';
import { withTempFolder } from '../lib/files.ts';
import { SVG_TYPE } from '../media/accepted-types.ts';
import { convertImage, inspectImage, resizeImage } from '../media/images.ts';
import { identifyFile } from '../media/sniff.ts';
import { sanitizeSvgInPool } from '../media/svg/thread.ts';
import { sanitizeLottie } from './lottie.ts';
import type { ReadSource, SourceBytes } from './render-io.ts';
import type { ResourceFile, ResourceFiles } from './stills/still.ts';
import type { Resource } from './timeline/compile.ts';

const MB = 1_048_576;
const MAX_IMAGE_BYTES = 25 * MB;
const MAX_CLIP_BYTES = 500 * MB;
/** Limit for all video and audio files of one render together. */
const MAX_FOLDER_BYTES = 4096 * MB;
/** Upper bound for image pixels: the largest frame, with some zoom. */
const MAX_SIDE = 4096;
const PLACEHOLDER_SIZE = { width: 1600, height: 1200 } as const;
/** Number of files that one render reads at the same time. */
const CONCURRENCY = 4;
const MAX_FILES = 300;

interface ReadState {
  readonly read: ReadSource;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** How many bytes may still be written to the folder. */
  remainingBytes: number;
}

/**
 * Returns every file by its key. Videos and sounds are stored in `folder`, which the caller removes. A file that cannot
 * be read is `absent`, with the reason.
 */
export async function readRenderFiles(
  resources: Iterable<Resource>,
  read: ReadSource,
  folder: string,
  signal: AbortSignal,
): Promise<ResourceFiles> {
  const state: ReadState = { read, folder, signal, remainingBytes: MAX_FOLDER_BYTES };
  const files = new Map<string, ResourceFile>();
  const resourceList = [...resources];
  const queue = resourceList.slice(0, MAX_FILES);
  for (const { key } of resourceList.slice(MAX_FILES))
    files.set(key, { kind: 'absent', reason: `exceeds the limit of ${MAX_FILES} files per render` });
  const work = async (): Promise<void> => {
    for (let resource = queue.shift(); resource !== undefined; resource = queue.shift())
      files.set(resource.key, await readRenderFile(resource, state));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return files;
}

/** Reads the files like `readRenderFiles`, in a temporary folder that is deleted after `work`. */
export function withRenderFiles<T>(
  resources: Iterable<Resource>,
  read: ReadSource,
  signal: AbortSignal,
  work: (files: ResourceFiles) => Promise<T>,
): Promise<T> {
  return withTempFolder(async folder => work(await readRenderFiles(resources, read, folder, signal)));
}

async function readRenderFile(resource: Resource, state: ReadState): Promise<ResourceFile> {
  const { kind, source } = resource;
  const { signal } = state;
  try {
    if ('data' in source) return await readLottie(JSON.stringify(source.data), signal);
    if ('markup' in source) return await readSvg(Buffer.from(source.markup), signal);
    if ('src' in source && source.src.startsWith('sample:')) {
      if (kind === 'audio') return { kind: 'absent', reason: 'is a placeholder without sound' };
      return { kind: 'sample', prompt: source.src.slice('sample:'.length), ...PLACEHOLDER_SIZE };
    }
    if (kind === 'video' || kind === 'audio') return await readClip(resource, state);
    const { body, declaredContentType } = await openStream(source, state, MAX_IMAGE_BYTES);
    const bytes = await readToBuffer(body, MAX_IMAGE_BYTES);
    if (kind === 'lottie') return await readLottie(Buffer.from(bytes).toString('utf8'), signal);
    return await readImage(bytes, declaredContentType, signal);
  } catch (err) {
    signal.throwIfAborted();
    if (!(err instanceof AppError) && !(err instanceof FetchError)) throw err;
    // The file may be fine: the request fails so that the caller can retry, instead of drawing an incomplete image.
    if (err.code === 'unavailable') throw err;
    return { kind: 'absent', reason: `cannot be read: ${toError(err).message.replace(/\.$/, '')}` };
  }
}

async function openStream(
  source: Parameters<ReadSource>[0],
  { read, signal }: ReadState,
  maxBytes: number,
): Promise<SourceBytes> {
  if ('src' in source && source.src.startsWith('data:')) return readDataUrl(source.src);
  return read(source, { maxBytes, signal });
}

/**
 * Writes the file to disk as it arrives, then probes it. Detects the type from the content, not from the declared
 * content type.
 */
async function readClip({ key, kind, source }: Resource, state: ReadState): Promise<ResourceFile> {
  const { folder, signal } = state;
  const maxBytes = Math.min(MAX_CLIP_BYTES, state.remainingBytes);
  const path = join(folder, key);
  // Other files are written at the same time, so the maximum size is reserved and the unused rest is returned.
  state.remainingBytes -= maxBytes;
  let usedBytes = 0;
  try {
    const { body } = await openStream(source as Parameters<ReadSource>[0], state, maxBytes);
    // The source may reuse a chunk's buffer once the next chunk is requested, so wait for each write.
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark: 1 });
    await pipeline(limitBytes(body, maxBytes), file, { signal });
    const info = await probeMedia(path, signal);
    if (kind === 'video' && info.video === undefined)
      throw new AppError('unsupported_type', `it is ${info.contentType}, not an image or a video`);
    usedBytes = file.bytesWritten;
    return { kind: 'clip', path, info };
  } catch (err) {
    await rm(path, { force: true });
    throw err;
  } finally {
    state.remainingBytes += maxBytes - usedBytes;
  }
}

/** Throws as soon as the body is larger than the limit. */
async function* limitBytes(
  body: SourceBytes['body'],
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new AppError('file_too_large', `it is larger than the remaining ${maxBytes} bytes`);
    yield chunk;
  }
}

async function readToBuffer(body: SourceBytes['body'], maxBytes: number): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const copied = async function* () {
    for await (const chunk of limitBytes(body, maxBytes)) yield Buffer.copyBytesFrom(chunk);
  };
  return buffer(copied());
}

async function readLottie(text: string, signal: AbortSignal): Promise<ResourceFile> {
  const rewrite = async (url: string): Promise<string> => {
    const { body, declaredContentType } = readDataUrl(url);
    const file = await readImage(body, declaredContentType, signal);
    if (file.kind !== 'image')
      throw new AppError('unsupported_type', 'the animation embeds an SVG image; embed PNG or JPEG instead');
    // The player detects the format from the bytes, so the content type need not be exact.
    return `data:image/png;base64,${Buffer.from(file.bytes).toString('base64')}`;
  };
  return { kind: 'lottie', ...(await sanitizeLottie(text, rewrite)) };
}

async function readSvg(bytes: Uint8Array, signal: AbortSignal): Promise<ResourceFile> {
  return { kind: 'svg', bytes: (await sanitizeSvgInPool(bytes, signal)).bytes };
}

/** Decodes the image completely and re-encodes it, so that the rasterizer never reads untrusted bytes. */
async function readImage(
  bytes: Uint8Array,
  declaredContentType: string | undefined,
  signal: AbortSignal,
): Promise<ResourceFile> {
  const type = await identifyFile(bytes, declaredContentType);
  if (type.contentType === SVG_TYPE) return await readSvg(bytes, signal);
  if (type.kind !== 'image')
    throw new AppError('unsupported_type', `it is ${type.contentType}, not an image`);
  const info = await inspectImage(bytes, signal);
  const isLarge = Math.max(info.width, info.height) > MAX_SIDE;
  const bounds = { width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', background: '#00000000' } as const;
  const resized = isLarge ? (await resizeImage(bytes, bounds, signal)).bytes : bytes;
  const format = info.hasAlpha ? 'png' : 'jpeg';
  const converted = await convertImage(resized, { format, quality: 94, background: '#000000' }, signal);
  return { kind: 'image', bytes: converted.bytes };
}

/** Splits at the comma first: a pattern over the whole URL takes quadratic time if there is none. */
function readDataUrl(url: string): SourceBytes & { readonly body: Buffer } {
  const comma = url.indexOf(',');
  if (comma === -1) throw createMalformedDataUrlError();
  const [type = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const data = url.slice(comma + 1);
  return {
    body: parameters.at(-1) === 'base64' ? Buffer.from(data, 'base64') : Buffer.from(decodePercent(data)),
    declaredContentType: type === '' ? undefined : type,
  };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (err) {
    throw createMalformedDataUrlError(err);
  }
}

const createMalformedDataUrlError = (cause?: unknown): AppError =>
  new AppError('invalid_request', 'the data URL is malformed', { cause });
