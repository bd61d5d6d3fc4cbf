// Identifies the type of bytes by content and compares it with the declared type.
import { AppError } from '../lib/errors.ts';
import { findMediaType, type MediaType, SVG_TYPE } from './accepted-types.ts';
import { decodeXmlStart } from './svg/encoding.ts';

/** The number of leading bytes that `sniffType` reads. */
export const SNIFFED_BYTES = 4100;

/** The type by signature, accepted or not; undefined if unknown. */
export async function sniffType(bytes: Uint8Array): Promise<string | undefined> {
  const start = bytes.subarray(0, SNIFFED_BYTES);
  // Imported with the first file, not at every start.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = (await fileTypeFromBuffer(start))?.mime;
  const isText = found === undefined || found === 'application/xml';
  return isText && looksLikeSvg(start) ? SVG_TYPE : found;
}

/**
 * The accepted type of an inline or fetched file. Throws `empty_file`, `unsupported_type` or, if a declared image is
 * nothing accepted, `unreadable_image`. With an unknown or generic declaration the bytes decide.
 */
export async function identify(bytes: Uint8Array, declared: string | undefined): Promise<MediaType> {
  if (bytes.length === 0) throw new AppError('empty_file', 'The file has no bytes.');
  const wanted = findDeclared(declared);
  const sniffed = await sniffType(bytes);
  const found = sniffed === undefined ? undefined : findMediaType(sniffed);
  if (wanted === undefined) return found ?? refuseType(sniffed);
  // The sanitizer reports whether it is an SVG, with its own messages.
  if (wanted.contentType === SVG_TYPE && found === undefined) return wanted;
  if (
    found === wanted ||
    (found !== undefined && SAME_CONTAINER.has(`${wanted.contentType} ${found.contentType}`))
  )
    return wanted;
  if (found === undefined && wanted.kind === 'image') {
    throw new AppError('unreadable_image', `The bytes are not an image of the type ${wanted.contentType}.`);
  }
  return refuseDeclared(wanted, sniffed ?? 'of no known type');
}

/**
 * The accepted type of a video or audio file whose tracks make it `found`: like `identify`, with more information than
 * the first bytes. Throws `unsupported_type`.
 */
export function acceptTracks(found: string, declared: string | undefined): MediaType {
  const wanted = findDeclared(declared);
  const type = findMediaType(found);
  if (wanted === undefined) return type ?? refuseType(found);
  const isSame =
    type?.kind === wanted.kind && SAME_CONTAINER.has(`${wanted.contentType} ${type.contentType}`);
  return type === wanted || isSame ? wanted : refuseDeclared(wanted, found);
}

/** Undefined if the declaration leaves it to the bytes. */
function findDeclared(declared: string | undefined): MediaType | undefined {
  return declared === undefined || GENERIC.test(declared) ? undefined : acceptDeclared(declared);
}

function refuseType(found: string | undefined): never {
  throw new AppError(
    'unsupported_type',
    `Files of the type ${found ?? 'that these bytes show'} are not accepted.`,
  );
}

function refuseDeclared({ contentType }: MediaType, found: string): never {
  throw new AppError(
    'unsupported_type',
    `The file was declared as ${contentType}, but its bytes are ${found}.`,
  );
}

/** The accepted type of that name. Throws `unsupported_type`. */
export function acceptDeclared(contentType: string): MediaType {
  const type = findMediaType(contentType);
  if (type === undefined) {
    throw new AppError(
      'unsupported_type',
      `The content type ${contentType.slice(0, 100)} is not accepted. Accepted are jpg, png, gif, webp, avif, svg; mp4, webm, mov; mp3, wav, m4a.`,
    );
  }
  return type;
}

const GENERIC =
  /^\s*(|application\/octet-stream|binary\/octet-stream|application\/x-www-form-urlencoded)\s*(;|$)/i;

// Declared and sniffed: an m4a is an mp4, and not every file has the brand that says so.
const SAME_CONTAINER: ReadonlySet<string> = new Set([
  'audio/mp4 video/mp4',
  'video/mp4 audio/mp4',
  'video/quicktime video/mp4',
  'video/mp4 video/quicktime',
]);

function looksLikeSvg(start: Uint8Array): boolean {
  try {
    const text = decodeXmlStart(start).trimStart();
    return text.startsWith('<') && /<(?:[\w.-]{1,64}:)?svg[\s>/]/.test(text);
  } catch {
    return false;
  }
}
