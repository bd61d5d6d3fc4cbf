// What model nodes share: a call at a configured provider, its input as attachments, its output as media of the run.
import type { MediaRef, Value } from '../../graph/types.ts';
import { readImageType } from '../../media/images.ts';
import type { ProviderName } from '../../providers/names.ts';
import { Attachment, CallUnderWay, type Endpoint, type Provider } from '../../providers/provider.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { type Delivery, runJob } from '../../providers/run-job.ts';
import { type NodeContext, NodeError, Suspend } from '../define.ts';
import { boundedText } from '../limits.ts';

/**
 * Does the call at the provider that this service has been given. Throws NodeError in words meant for people; a Suspend
 * where the work goes on at the provider and its run can wait for it elsewhere.
 */
export async function callProvider<Call>(
  name: ProviderName,
  connect: (endpoint: Endpoint) => Provider<Call>,
  call: Call,
  ctx: NodeContext,
): Promise<Delivery> {
  try {
    const endpoint = ctx.providers[name];
    if (endpoint === undefined) throw new ProviderError(name, 'not_configured');
    const delivery = await runJob(connect(endpoint), call, { ...ctx, fetch: ctx.providerFetch });
    ctx.job.use(delivery.usage);
    for (const sentence of delivery.warnings ?? []) ctx.job.warn(sentence);
    return delivery;
  } catch (err) {
    if (err instanceof CallUnderWay) throw new Suspend('call', err.job.deadlineAtMs ?? 0);
    if (!(err instanceof ProviderError)) throw err;
    throw new NodeError(err.code, err.message, { cause: err });
  }
}

/** The image as models take it: drawings as pixels. */
export async function attachImage(ref: MediaRef, ctx: NodeContext): Promise<Attachment> {
  const { bytes, contentType } = await ctx.media.readRaster(ref);
  return new Attachment(bytes, contentType, `image.${extensionOf(contentType)}`);
}

export async function attachAudio(ref: MediaRef, ctx: NodeContext): Promise<Attachment> {
  return new Attachment(await ctx.media.read(ref), ref.contentType, `audio.${extensionOf(ref.contentType)}`);
}

export async function attachVideo(ref: MediaRef, ctx: NodeContext): Promise<Attachment> {
  return new Attachment(await ctx.media.read(ref), ref.contentType, `video.${extensionOf(ref.contentType)}`);
}

type OutputKind = 'image' | 'video' | 'audio';

/** All files, as a list. */
export async function keepFiles(
  { files, ...delivery }: Delivery,
  kind: OutputKind,
  name: string,
  ctx: NodeContext,
): Promise<readonly Value[]> {
  if (files.length === 0) throw badOutput(`no ${kind}`);
  const type = kind === 'image' ? 'IMAGE' : kind === 'video' ? 'VIDEO' : 'AUDIO';
  const items: Value[] = [];
  for (const file of files) {
    items.push({ type, media: await keepFile({ ...delivery, files: [file] }, kind, name, ctx) });
  }
  return items;
}

/** The first file, as media of the run. What a provider calls its type is not believed: the bytes are asked, and decoded as they are stored. */
export async function keepFile(
  { files }: Delivery,
  kind: OutputKind,
  name: string,
  ctx: NodeContext,
): Promise<MediaRef> {
  const [bytes] = files;
  if (bytes === undefined) throw badOutput(`no ${kind}`);
  const contentType = kind === 'image' ? await readImageType(bytes, ctx.signal) : findType(bytes, kind);
  if (contentType === undefined) throw badOutput(`a file that is no ${kind} of a known type`);
  return ctx.media.put(bytes, { contentType, name: `${name}.${extensionOf(contentType)}` });
}

/** The text as the delivery has it, bounded like any other. */
export function keepText({ text }: Delivery): string {
  if (text === undefined || text === '') throw badOutput('no text');
  return boundedText(text);
}

/** The values of these fields that are set: the input of a model, under the names that it gives them. */
export function pickSet(
  values: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const picked = Object.keys(fields).filter(name => values[name] !== undefined && values[name] !== null);
  return Object.fromEntries(picked.map(name => [name, values[name]]));
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

function findType(bytes: Buffer, kind: OutputKind): string | undefined {
  if (bytes.length < 12) return undefined;
  return SIGNATURES.find(signature => signature.kind === kind && signature.fits(bytes))?.contentType;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
};

function extensionOf(contentType: string): string {
  return EXTENSIONS[contentType] ?? contentType.replace(/^.*\//, '');
}

function badOutput(what: string): NodeError {
  return new NodeError('provider_bad_output', `The provider sent ${what}.`);
}
