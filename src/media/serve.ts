// Computes the HTTP response for a media file, with conditional requests, ranges, caching and security headers (RFC 9110
// §13 and §14). Does not open or send the file.
import { SVG_TYPE } from './accepted-types.ts';
import type { ByteRange } from './storage.ts';

export interface ServedFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Hex digits. */
  readonly sha256: string;
  readonly createdAt: Date;
}

export interface MediaRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface MediaResponse {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes to send. Default: the whole file, or nothing for 304 and 416. */
  readonly range?: ByteRange;
}

/** Returns the response to a GET or HEAD of the file. A HEAD ignores `Range`. */
export function toMediaResponse({ method, headers }: MediaRequest, file: ServedFile): MediaResponse {
  const validators = toValidators(file);
  if (isNotModified(headers, validators))
    return { status: 304, headers: { ...CACHEABLE_HEADERS, ...validators } };
  const range =
    method === 'GET' && isRangeCurrent(headers, validators)
      ? parseRange(getFirstValue(headers.range), file.bytes)
      : undefined;
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      headers: {
        ...CROSS_ORIGIN_HEADERS,
        'Accept-Ranges': 'bytes',
        'Content-Range': `bytes */${file.bytes}`,
      },
    };
  }
  const baseHeaders = { ...CACHEABLE_HEADERS, ...validators, ...toContentHeaders(file) };
  if (range === undefined)
    return { status: 200, headers: { ...baseHeaders, 'Content-Length': String(file.bytes) } };
  const { start, end } = range;
  return {
    status: 206,
    range,
    headers: {
      ...baseHeaders,
      'Content-Length': String(end - start + 1),
      'Content-Range': `bytes ${start}-${end}/${file.bytes}`,
    },
  };
}

const CROSS_ORIGIN_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};
const CACHEABLE_HEADERS = { ...CROSS_ORIGIN_HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' };
// An SVG that is opened as a page runs no scripts, loads nothing and has no origin. Its style attributes work.
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

interface Validators {
  readonly ETag: string;
  readonly 'Last-Modified': string;
}

function toValidators({ sha256, createdAt }: ServedFile): Validators {
  return { ETag: `"${sha256.slice(0, 32)}"`, 'Last-Modified': createdAt.toUTCString() };
}

function toContentHeaders({ name, contentType }: ServedFile): Record<string, string> {
  const isSvg = contentType === SVG_TYPE;
  return {
    'Content-Type': contentType,
    'Accept-Ranges': 'bytes',
    'Content-Disposition': `${isSvg ? 'attachment' : 'inline'}; ${encodeFilename(name)}`,
    ...(isSvg ? { 'Content-Security-Policy': SVG_POLICY } : {}),
  };
}

/** Formats the name in both ways of RFC 6266: ASCII for old clients, and percent-encoded UTF-8. */
function encodeFilename(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Checks `If-None-Match`, or `If-Modified-Since` if that is absent. */
function isNotModified(headers: MediaRequest['headers'], validators: Validators): boolean {
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) {
    const tags = [noneMatch].flat().join(',');
    return tags.trim() === '*' || tags.match(/"[^"]*"/g)?.some(tag => tag === validators.ETag) === true;
  }
  const since = Date.parse(getFirstValue(headers['if-modified-since']));
  return Date.parse(validators['Last-Modified']) <= since;
}

/** Checks `If-Range`. The range applies only if the client has a part of this version of the file. */
function isRangeCurrent(headers: MediaRequest['headers'], validators: Validators): boolean {
  const ifRange = getFirstValue(headers['if-range']);
  return ifRange === '' || ifRange === validators.ETag || ifRange === validators['Last-Modified'];
}

/**
 * Parses a single range. Ignores several ranges, other units and malformed values, as RFC 9110 allows or requires.
 */
function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header);
  const [first = '', last = ''] = match?.slice(1) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

function getFirstValue(header: string | readonly string[] | undefined): string {
  return (typeof header === 'object' ? header[0] : header) ?? '';
}
