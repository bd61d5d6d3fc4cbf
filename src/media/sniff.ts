// Identifies the type of a file by its content, and compares it with the declared type.
import { AppError } from '../lib/errors.ts';
import { findMediaType, type MediaType, SVG_TYPE } from './accepted-types.ts';
import { decodeXmlStart } from './svg/text.ts';

/** The number of leading bytes that `sniffType` reads. */
export const SNIFFED_BYTES = 4100;

/** Returns the type that the signature shows, whether it is accepted or not, or undefined if it is unknown. */
export async function sniffType(bytes: Uint8Array): Promise<string | undefined> {
  const start = bytes.subarray(0, SNIFFED_BYTES);
  // Imported with the first file, to keep startup fast.
  const { fileTypeFromBuffer } = await import('file-type');
  const detected = (await fileTypeFromBuffer(start))?.mime;
  const isText = detected === undefined || detected === 'application/xml';
  return isText && looksLikeSvg(start) ? SVG_TYPE : detected;
}

/**
 * Returns the accepted type of an inline or fetched file. If the declared type is unknown or generic, the bytes decide.
 * Throws `empty_file`, `unsupported_type`, or `unreadable_image` if a declared image is of no accepted type.
 */
export async function identifyFile(
  bytes: Uint8Array,
  declaredContentType: string | undefined,
): Promise<MediaType> {
  if (bytes.length === 0) throw new AppError('empty_file', 'The file has no bytes.');
  const declaredType = findDeclaredType(declaredContentType);
  const sniffed = await sniffType(bytes);
  const detectedType = sniffed === undefined ? undefined : findMediaType(sniffed);
  if (declaredType === undefined) return detectedType ?? rejectType(sniffed);
  // The SVG sanitizer has better messages for a file that is not an SVG.
  if (declaredType.contentType === SVG_TYPE && detectedType === undefined) return declaredType;
  // MP3 has no signature, and other bytes may precede its first frame. The probe searches the frame.
  if (declaredType.contentType === 'audio/mpeg' && sniffed === undefined) return declaredType;
  if (
    detectedType === declaredType ||
    (detectedType !== undefined &&
      INTERCHANGEABLE_TYPES.has(`${declaredType.contentType} ${detectedType.contentType}`))
  )
    return declaredType;
  if (detectedType === undefined && declaredType.kind === 'image') {
    throw new AppError(
      'unreadable_image',
      `The bytes are not an image of the type ${declaredType.contentType}.`,
    );
  }
  return rejectDeclared(declaredType, sniffed ?? 'of no known type');
}

/**
 * Returns the accepted type of a video or audio file whose `contentType` the probe has found. Like `identifyFile`, but the
 * probe knows more than the first bytes show. Throws `unsupported_type`.
 */
export function getProbedType(contentType: string, declaredContentType: string | undefined): MediaType {
  const declaredType = findDeclaredType(declaredContentType);
  const type = findMediaType(contentType);
  if (declaredType === undefined) return type ?? rejectType(contentType);
  const isInterchangeable =
    type?.kind === declaredType.kind &&
    INTERCHANGEABLE_TYPES.has(`${declaredType.contentType} ${type.contentType}`);
  return type === declaredType || isInterchangeable
    ? declaredType
    : rejectDeclared(declaredType, contentType);
}

/** Returns the declared type, or undefined if it is missing or generic. Throws `unsupported_type`. */
function findDeclaredType(declaredContentType: string | undefined): MediaType | undefined {
  return declaredContentType === undefined || GENERIC_TYPES.test(declaredContentType)
    ? undefined
    : getMediaType(declaredContentType);
}

const SUPPORTED_TYPES = 'Supported types are jpg, png, gif, webp, avif, svg; mp4, webm, mov; mp3, wav, m4a.';

function rejectType(contentType: string | undefined): never {
  throw new AppError(
    'unsupported_type',
    `${contentType === undefined ? 'Files of this type' : `Files of the type ${contentType}`} are not accepted. ${SUPPORTED_TYPES}`,
  );
}

function rejectDeclared({ contentType }: MediaType, actualType: string): never {
  throw new AppError(
    'unsupported_type',
    `The file was declared as ${contentType}, but its bytes are ${actualType}.`,
  );
}

/** Returns the accepted type with this name. Throws `unsupported_type`. */
export function getMediaType(contentType: string): MediaType {
  const type = findMediaType(contentType);
  if (type === undefined) {
    throw new AppError(
      'unsupported_type',
      `The content type ${contentType.slice(0, 100)} is not supported. ${SUPPORTED_TYPES}`,
    );
  }
  return type;
}

const GENERIC_TYPES =
  /^\s*(|application\/octet-stream|binary\/octet-stream|application\/x-www-form-urlencoded)\s*(;|$)/i;

// Pairs of declared and detected types that share a container format, which the first bytes do not always tell apart.
const INTERCHANGEABLE_TYPES: ReadonlySet<string> = new Set([
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
