// Provides helpers for model nodes: call a provider, attach input files, store output files as media of the run.
import type { Json, MediaRef, Value } from '../../graph/types.ts';
import { MEDIA_TYPES } from '../../graph/values.ts';
import { cutText } from '../../lib/cut-text.ts';
import { isRecord } from '../../lib/record.ts';
import { readImageType } from '../../media/images.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import { type CredentialKey, findServerName, toProviderName } from '../../providers/names.ts';
import { Attachment, type Endpoint, type Provider, TaskInProgressError } from '../../providers/provider.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { type DownloadedOutput, runCall } from '../../providers/run-call.ts';
import { type NodeContext, NodeError, Suspend } from '../define.ts';
import { requireShortText } from '../value-checks.ts';

/**
 * Makes the call with the run's credential for the provider or server. Throws NodeError with a message for users, or Suspend if the
 * work continues at the provider.
 */
export async function callProvider<Call>(
  key: CredentialKey,
  connect: (endpoint: Endpoint) => Provider<Call>,
  call: Call,
  ctx: NodeContext,
): Promise<DownloadedOutput> {
  let credential: ProviderCredential | undefined;
  try {
    credential = await ctx.openCredential(key, ctx.task.stored);
    const output = await runCall(connect(credential.endpoint), call, {
      ...ctx,
      fetch: credential.fetch,
      credential,
    });
    ctx.task.use(output.usage);
    for (const sentence of output.warnings ?? []) ctx.task.warn(sentence);
    return output;
  } catch (err) {
    if (err instanceof TaskInProgressError) throw new Suspend('call', err.task.deadlineAtMs ?? 0);
    if (!(err instanceof ProviderError)) throw err;
    const server = findServerName(key);
    if (credential === undefined || (credential.valueId === null && server === undefined))
      throw new NodeError(err.code, err.message, { cause: err, pointer: err.pointer });
    const { kind, detail, pointer } = err;
    const credentialName = credential.valueId === null ? undefined : credential.name;
    const { message } = new ProviderError(toProviderName(key), kind, {
      detail,
      credential: credentialName,
      server,
    });
    if (kind === 'auth') credential.onRejected?.(message);
    throw new NodeError(err.code, message, { cause: err, pointer });
  }
}

/** Returns the image in a raster format, as models require. */
export async function attachImage(ref: MediaRef, ctx: NodeContext): Promise<Attachment> {
  const { bytes, contentType } = await ctx.media.readRaster(ref);
  return new Attachment(bytes, contentType, `image.${toExtension(contentType)}`);
}

export async function attachAudio(ref: MediaRef, ctx: NodeContext): Promise<Attachment> {
  return new Attachment(await ctx.media.read(ref), ref.contentType, `audio.${toExtension(ref.contentType)}`);
}

export async function attachVideo(ref: MediaRef, ctx: NodeContext): Promise<Attachment> {
  return new Attachment(await ctx.media.read(ref), ref.contentType, `video.${toExtension(ref.contentType)}`);
}

type MediaKind = 'image' | 'video' | 'audio';

/** Stores all files and returns them as a list. */
export async function storeResultFiles(
  { files, ...output }: DownloadedOutput,
  kind: MediaKind,
  name: string,
  ctx: NodeContext,
): Promise<readonly Value[]> {
  if (files.length === 0) throw createBadOutputError(`no ${kind}`);
  const items: Value[] = [];
  for (const file of files) {
    items.push({
      type: MEDIA_TYPES[kind],
      media: await storeFirstFile({ ...output, files: [file] }, kind, name, ctx),
    });
  }
  return items;
}

/**
 * Stores the first file as media of the run. The content type is detected from the bytes, not from the provider's
 * response.
 */
export async function storeFirstFile(
  { files, seed }: DownloadedOutput,
  kind: MediaKind,
  name: string,
  ctx: NodeContext,
): Promise<MediaRef> {
  const [bytes] = files;
  if (bytes === undefined) throw createBadOutputError(`no ${kind}`);
  const contentType = kind === 'image' ? await readImageType(bytes, ctx.signal) : findType(bytes, kind);
  if (contentType === undefined) throw createBadOutputError(`a file that is not a supported ${kind} type`);
  return ctx.media.put(bytes, { contentType, name: `${name}.${toExtension(contentType)}`, seed });
}

/** Returns the text of the output. Throws NodeError if there is none or it is too long. */
export function getText({ text }: DownloadedOutput): string {
  if (text === undefined || text === '') throw createBadOutputError('no text');
  return requireShortText(text);
}

/** The maximum number of captions of a track. */
const MAX_CHUNKS = 20_000;

/**
 * Returns the timed chunks of a transcription in the form of captions, `[{ text, start, end }]` in seconds. Providers
 * send `timestamp: [start, end]` (Whisper) or `start` and `end` (Scribe, which also lists the spaces).
 */
export function toChunks({ chunks }: DownloadedOutput): Json {
  if (!Array.isArray(chunks)) return [];
  return chunks
    .slice(0, MAX_CHUNKS * 2)
    .flatMap(chunk => {
      if (!isRecord(chunk) || typeof chunk.text !== 'string' || chunk.type === 'spacing') return [];
      const [start = chunk.start, end = chunk.end] = Array.isArray(chunk.timestamp) ? chunk.timestamp : [];
      const text = cutText(chunk.text.trim(), 500).toWellFormed();
      if (text === '' || !isSecond(start) || !isSecond(end) || end < start) return [];
      return [{ text, start, end }];
    })
    .slice(0, MAX_CHUNKS);
}

const isSecond = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < 86_400;

/** Returns the values of those `fields` that are set. */
export function pickDefined(
  values: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const setFields = Object.keys(fields).filter(name => values[name] !== undefined && values[name] !== null);
  return Object.fromEntries(setFields.map(name => [name, values[name]]));
}

interface Signature {
  readonly kind: 'video' | 'audio';
  readonly contentType: string;
  readonly fits: (bytes: Buffer) => boolean;
}

const ascii = (bytes: Buffer, start: number, end: number): string => bytes.toString('latin1', start, end);
const isIsoMedia = (bytes: Buffer): boolean => ascii(bytes, 4, 8) === 'ftyp';
const isQuickTime = (bytes: Buffer): boolean => isIsoMedia(bytes) && ascii(bytes, 8, 12) === 'qt  ';

const SIGNATURES: readonly Signature[] = [
  { kind: 'video', contentType: 'video/quicktime', fits: isQuickTime },
  { kind: 'video', contentType: 'video/mp4', fits: isIsoMedia },
  { kind: 'video', contentType: 'video/webm', fits: bytes => bytes.readUInt32BE(0) === 0x1a45dfa3 },
  { kind: 'audio', contentType: 'audio/mp4', fits: isIsoMedia },
  { kind: 'audio', contentType: 'audio/wav', fits: bytes => ascii(bytes, 8, 12) === 'WAVE' },
  {
    kind: 'audio',
    contentType: 'audio/mpeg',
    fits: bytes => ascii(bytes, 0, 3) === 'ID3' || (bytes.readUInt16BE(0) & 0xffe0) === 0xffe0,
  },
];

function findType(bytes: Buffer, kind: MediaKind): string | undefined {
  if (bytes.length < 12) return undefined;
  return SIGNATURES.find(signature => signature.kind === kind && signature.fits(bytes))?.contentType;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
};

function toExtension(contentType: string): string {
  return EXTENSIONS[contentType] ?? contentType.replace(/^.*\//, '');
}

function createBadOutputError(problem: string): NodeError {
  return new NodeError('provider_bad_output', `The provider returned ${problem}.`);
}
