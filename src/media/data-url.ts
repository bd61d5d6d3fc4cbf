// Decodes data URLs (RFC 2397).
import { AppError } from '../lib/errors.ts';
import { getMaxBytesOfSource } from './accepted-types.ts';
import { createTooLargeError } from './spool.ts';

export interface DataUrl {
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

const MAX_HEAD_CHARS = 300;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Throws `invalid_request` if the text is not a data URL, and `file_too_large` before decoding too many bytes. */
export function parseDataUrl(text: string): DataUrl {
  const comma = text.slice(0, MAX_HEAD_CHARS).indexOf(',');
  const head = /^data:([^;,]*)((?:;[^;,]*)*),$/i.exec(text.slice(0, comma + 1));
  if (head === null) throw createError('must have the form data:<type>;base64,<bytes>');
  const [, contentType = '', options = ''] = head;
  const data = text.slice(comma + 1);
  const bytes = /;base64$/i.test(options) ? decodeBase64(data) : decodePercent(data);
  return { contentType: contentType === '' ? undefined : contentType, bytes };
}

function decodeBase64(data: string): Buffer {
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='));
  const maxBytes = getMaxBytesOfSource('dataUrl');
  if (Math.floor((data.length * 3) / 4) - padding > maxBytes) throw createTooLargeError(maxBytes);
  if (!BASE64.test(data) || data.replace(/=+$/, '').length % 4 === 1)
    throw createError('does not contain valid base64');
  return Buffer.from(data, 'base64');
}

function decodePercent(data: string): Buffer {
  try {
    return Buffer.from(decodeURIComponent(data), 'utf8');
  } catch (err) {
    throw createError('contains a % that is not followed by two hex digits of UTF-8', err);
  }
}

function createError(message: string, cause?: unknown): AppError {
  return new AppError('invalid_request', `dataUrl ${message}.`, {
    cause,
    issues: [{ path: '/dataUrl', code: 'invalid_request', message }],
  });
}
