// What bytes really are: the type that they show, compared with the one that was declared.
import { AppError } from '../lib/errors.ts';
import { findMediaType, type MediaType, SVG_TYPE } from './accepted-types.ts';
import { decodeXmlStart } from './svg/encoding.ts';

/** As many bytes from the beginning as `sniffType` looks at. */
export const SNIFFED_BYTES = 4100;

/** The type that the bytes show by their signature, accepted or not; undefined where they show none. */
export async function sniffType(bytes: Uint8Array): Promise<string | undefined> {
  const start = bytes.subarray(0, SNIFFED_BYTES);
  // Loaded with the first file, not at each start.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = (await fileTypeFromBuffer(start))?.mime;
  const isText = found === undefined || found === 'application/xml';
  return isText && looksLikeSvg(start) ? SVG_TYPE : found;
}

/**
 * The accepted type of an inline or fetched file. Throws `empty_file`, `unsupported_type` or, where what was declared an
 * image shows itself as nothing accepted, `unreadable_image`. An unknown or generic declaration leaves it to the bytes.
 */
export async function identify(bytes: Uint8Array, declared: string | undefined): Promise<MediaType> {
  if (bytes.length === 0) throw new AppError('empty_file', 'The file has no bytes.');
  const wanted = findDeclared(declared);
  const sniffed = await sniffType(bytes);
  const found = sniffed === undefined ? undefined : findMediaType(sniffed);
  if (wanted === undefined) return found ?? refuseType(sniffed);
  // Whether it is an SVG at all is for the sanitizer to say, in its own words.
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
 * The accepted type of a video or audio file whose tracks make it `found`: as `identify`, once more is known than the
 * first bytes show. Throws `unsupported_type`.
 */
export function acceptTracks(found: string, declared: string | undefined): MediaType {
  const wanted = findDeclared(declared);
  const type = findMediaType(found);
  if (wanted === undefined) return type ?? refuseType(found);
  const isSame =
    type?.kind === wanted.kind && SAME_CONTAINER.has(`${wanted.contentType} ${type.contentType}`);
  return type === wanted || isSame ? wanted : refuseDeclared(wanted, found);
}

/** undefined where the declaration leaves it to the bytes. */
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

// Declared and sniffed: an m4a is an mp4, and a brand that says so is not always there.
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
