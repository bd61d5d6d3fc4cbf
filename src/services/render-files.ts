// The files that a scene names, read through the guarded paths and made ready for the drawing thread.
import { AppError, toError } from '../lib/errors.ts';
import { FetchError } from '../lib/fetch-error.ts';
import { maxBytesAtDoor, SVG_TYPE } from '../media/accepted-types.ts';
import { convertImage, inspectImage, resizeImage } from '../media/images.ts';
import { identify } from '../media/sniff.ts';
import { sanitizeSvgAside } from '../media/svg-thread.ts';
import type { ResourceFile } from '../render/still.ts';
import type { Resource } from '../render/timeline/compile.ts';
import { findMedia, mayUseMedia } from '../store/media.ts';
import type { Deps } from './deps.ts';
import { readAll } from './media-bytes.ts';
import { mediaIdOf } from './media-record.ts';

export interface RenderOwner {
  readonly userId: number;
  readonly workspace: string;
}

/** Reads a file by its address or media id; the command line has its own. Throws an AppError that says why not. */
export type ReadSource = (
  source: { readonly src: string } | { readonly mediaId: string },
  signal: AbortSignal,
) => Promise<{ readonly bytes: Uint8Array; readonly declared: string | undefined }>;

const MAX_BYTES = maxBytesAtDoor('url');
const TIMEOUT_MS = 30_000;
/** No picture needs more pixels than the largest frame enlarged a little. */
const MAX_SIDE = 4096;
const SAMPLE = { width: 1600, height: 1200 } as const;
/** Files of one render read at once. */
const CONCURRENCY = 4;
const MAX_FILES = 300;

/** Every file by its key. One that cannot be read is `absent`, with the reason. */
export async function readRenderFiles(
  resources: Iterable<Resource>,
  read: ReadSource,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ResourceFile>> {
  const files = new Map<string, ResourceFile>();
  const all = [...resources];
  const waiting = all.slice(0, MAX_FILES);
  for (const { key } of all.slice(MAX_FILES))
    files.set(key, { kind: 'absent', reason: `is beyond the ${MAX_FILES} files that one render may read` });
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      files.set(next.key, await readOne(next, read, signal));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return files;
}

async function readOne(
  { kind, source }: Resource,
  read: ReadSource,
  signal: AbortSignal,
): Promise<ResourceFile> {
  if (kind === 'video' || kind === 'audio')
    return {
      kind: 'absent',
      reason: `is ${kind === 'video' ? 'a video, whose frames' : 'a sound, which'} cannot be decoded yet`,
    };
  try {
    if ('data' in source) return { kind: 'lottie', json: JSON.stringify(source.data) };
    if ('markup' in source)
      return { kind: 'svg', bytes: await sanitizeSvgAside(Buffer.from(source.markup), signal) };
    if ('src' in source && source.src.startsWith('sample:'))
      return { kind: 'sample', words: source.src.slice('sample:'.length), ...SAMPLE };
    const { bytes, declared } =
      'src' in source && source.src.startsWith('data:')
        ? readDataUrl(source.src)
        : await read(source, signal);
    if (kind === 'lottie') return { kind: 'lottie', json: Buffer.from(bytes).toString('utf8') };
    return await readPicture(bytes, declared, signal);
  } catch (err) {
    signal.throwIfAborted();
    if (!(err instanceof AppError) && !(err instanceof FetchError)) throw err;
    return { kind: 'absent', reason: `cannot be read: ${toError(err).message.replace(/\.$/, '')}` };
  }
}

/** Decoded whole and written anew, so that the rasterizer never meets bytes from outside. */
async function readPicture(
  bytes: Uint8Array,
  declared: string | undefined,
  signal: AbortSignal,
): Promise<ResourceFile> {
  const type = await identify(bytes, declared);
  if (type.contentType === SVG_TYPE) return { kind: 'svg', bytes: await sanitizeSvgAside(bytes, signal) };
  if (type.kind !== 'image')
    throw new AppError('unsupported_type', `it is ${type.contentType}, not a picture`);
  const facts = await inspectImage(bytes, signal);
  const isLarge = Math.max(facts.width, facts.height) > MAX_SIDE;
  const bounds = { width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', background: '#00000000' } as const;
  const fitting = isLarge ? (await resizeImage(bytes, bounds, signal)).bytes : bytes;
  const format = facts.hasAlpha ? 'png' : 'jpeg';
  const written = await convertImage(fitting, { format, quality: 94, background: '#000000' }, signal);
  return { kind: 'picture', bytes: written.bytes };
}

function readDataUrl(url: string): { bytes: Uint8Array; declared: string | undefined } {
  const [, type, base64, body = ''] = /^data:([\w/+.-]+)?[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  const bytes = base64 === undefined ? Buffer.from(decode(body)) : Buffer.from(body, 'base64');
  return { bytes, declared: type };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (err) {
    throw new AppError('invalid_request', 'its data URL is not well written', { cause: err });
  }
}

/** Media that the owner may use, by id or address of ours; any other address through the guarded client. */
export function serviceReader(deps: Deps, owner: RenderOwner): ReadSource {
  return async (source, signal) => {
    const id = 'mediaId' in source ? source.mediaId : mediaIdOf(deps, source.src);
    if (id !== undefined) return readOwn(deps, owner, id);
    if (!('src' in source) || !/^https?:/.test(source.src))
      throw new AppError('invalid_request', 'files by path are read on the command line only');
    const { status, body, headers } = await deps.fetch.fetch(source.src, {
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    if (status !== 200) throw new AppError('fetch_failed', `its address answered with status ${status}`);
    return { bytes: body, declared: headers['content-type'] };
  };
}

async function readOwn(deps: Deps, owner: RenderOwner, id: string): ReturnType<ReadSource> {
  const row = await findMedia(deps.db, id);
  const isTheirs =
    row !== undefined &&
    (row.workspace === owner.workspace || (await mayUseMedia(deps.db, id, owner.userId)));
  if (!isTheirs) throw new AppError('not_found', `there is no media ${id.slice(0, 64)} in your workspace`);
  if (row.bytes > MAX_BYTES) throw new AppError('file_too_large', `it has over ${MAX_BYTES} bytes`);
  return { bytes: await readAll(deps, row.id), declared: row.content_type };
}
