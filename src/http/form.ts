// Multipart forms with one file, part by part as they arrive.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import type { FormPart } from '../services/media/upload-media.ts';
import type { App } from './app.ts';
import { FormError, readField, readParts } from './form-parts.ts';

const MAX_FILE_BYTES = 4_194_304;
/** A file of 4 MB and what it is wrapped in. */
export const MAX_UPLOAD_BYTES = MAX_FILE_BYTES + 65_536;
const MAX_FIELD_BYTES = 1000;
const FORM = /^\s*multipart\/form-data\s*(?:;|$)/i;
// RFC 2046 §5.1.1 has at most 70 characters.
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;",]{1,70}))/i;

/** Lets the routes of the scope take forms: their bodies are left to `readForm`. */
export function registerForms(scope: App): void {
  scope.addContentTypeParser(FORM, (_req, _payload, done) => done(null));
}

export function isForm(req: FastifyRequest): boolean {
  return FORM.test(req.headers['content-type'] ?? '');
}

/** Each file must be read, or left, before the next part is asked for. Throws `file_too_large`, `invalid_request`. */
export async function* readForm(req: FastifyRequest): AsyncGenerator<FormPart, void, undefined> {
  if (Number(req.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES) throw tooLarge();
  const [, quoted, bare] = BOUNDARY.exec(req.headers['content-type'] ?? '') ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw broken(new FormError('its type names no boundary'));
  try {
    for await (const { name, filename, contentType, body } of readParts(readBody(req), boundary)) {
      if (filename === undefined) yield { field: name, value: await readField(body, MAX_FIELD_BYTES) };
      else yield { field: name, source: readFile(body), declared: contentType, name: filename };
    }
  } catch (err) {
    throw broken(err);
  } finally {
    // Whatever was not read is thrown away, so that its sender lives to read the answer.
    req.raw.resume();
  }
}

/** A form whose length is not announced may go on for ever around its parts. */
async function* readBody(req: FastifyRequest): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of req.raw.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > 2 * MAX_UPLOAD_BYTES) throw tooLarge();
    yield chunk;
  }
}

async function* readFile(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* file;
  } catch (err) {
    throw broken(err);
  }
}

/** What the reader of a part threw is passed on as it is. */
function broken(err: unknown): unknown {
  const isBroken = err instanceof FormError || (err as NodeJS.ErrnoException).code === 'ECONNRESET';
  if (!isBroken) return err;
  const { message } = err as Error;
  return new AppError('invalid_request', `The form cannot be read: ${message}.`, { cause: err });
}

function tooLarge(): AppError {
  return new AppError('file_too_large', `The file is over the limit of ${MAX_FILE_BYTES} bytes.`);
}
