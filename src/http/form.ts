// Reads multipart forms with one file while they arrive.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import type { FormPart } from '../services/media/upload-media.ts';
import type { Server } from './deps.ts';
import { FormError, readField, readParts } from './form-parts.ts';

/** The maximum size of the file in a form. Larger files are uploaded in another way. */
const MAX_FORM_FILE_BYTES = 4_194_304;
/** The maximum size of a form without its file. */
const MAX_REST_BYTES = 65_536;
export const MAX_UPLOAD_BYTES = MAX_FORM_FILE_BYTES + MAX_REST_BYTES;
const MAX_FIELD_BYTES = 1000;
const FORM = /^\s*multipart\/form-data\s*(?:;|$)/i;
// RFC 2046 §5.1.1 allows at most 70 characters.
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;",]{1,70}))/i;

/** Accepts forms on the routes of the scope. `readForm` reads their bodies. */
export function registerForms(scope: Server): void {
  scope.addContentTypeParser(FORM, (_req, _payload, done) => done(null));
}

export function isForm(req: FastifyRequest): boolean {
  return FORM.test(req.headers['content-type'] ?? '');
}

/**
 * Yields the parts. A file must be read before the next part is requested. Throws `file_too_large`, `invalid_request`.
 */
export async function* readForm(
  req: FastifyRequest,
  maxFileBytes = MAX_FORM_FILE_BYTES,
  maxFieldBytes = MAX_FIELD_BYTES,
): AsyncGenerator<FormPart, void, undefined> {
  const maxBytes = maxFileBytes + MAX_REST_BYTES;
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw createTooLargeError(maxFileBytes);
  const [, quoted, unquoted] = BOUNDARY.exec(req.headers['content-type'] ?? '') ?? [];
  const boundary = quoted ?? unquoted;
  if (boundary === undefined) throw toFormError(new FormError('its Content-Type has no boundary'));
  try {
    for await (const { name, filename, contentType, body } of readParts(
      readBody(req, maxFileBytes),
      boundary,
    )) {
      if (filename === undefined) yield { field: name, value: await readField(body, maxFieldBytes) };
      else yield { field: name, source: readFile(body), declaredContentType: contentType, name: filename };
    }
  } catch (err) {
    throw toFormError(err);
  } finally {
    // Discards unread bytes, so that the sender can finish and read the response.
    req.raw.resume();
  }
}

/** Yields the body up to the size limit. A form without a Content-Length could be endless. */
async function* readBody(
  req: FastifyRequest,
  maxFileBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of req.raw.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > 2 * (maxFileBytes + MAX_REST_BYTES)) throw createTooLargeError(maxFileBytes);
    yield chunk;
  }
}

async function* readFile(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* file;
  } catch (err) {
    throw toFormError(err);
  }
}

/** Converts errors of the form. Returns errors of the code that reads the parts unchanged. */
function toFormError(err: unknown): unknown {
  const isBroken = err instanceof FormError || (err as NodeJS.ErrnoException).code === 'ECONNRESET';
  if (!isBroken) return err;
  const { message } = err as Error;
  return new AppError('invalid_request', `The form cannot be read: ${message}.`, { cause: err });
}

function createTooLargeError(maxBytes: number): AppError {
  return new AppError('file_too_large', `The file is larger than the limit of ${maxBytes} bytes.`);
}
