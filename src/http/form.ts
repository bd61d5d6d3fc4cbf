// Multipart forms with one file, part by part as they arrive.
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { AppError, toError } from '../lib/errors.ts';
import type { FormPart } from '../services/upload-media.ts';
import type { App } from './app.ts';

const MAX_FILE_BYTES = 4_194_304;
/** decisions.md §7: a file of 4 MB and what it is wrapped in. */
export const MAX_UPLOAD_BYTES = MAX_FILE_BYTES + 65_536;

const LIMITS = {
  // The byte over it is what shows that a file is too large.
  fileSize: MAX_FILE_BYTES + 1,
  files: 2,
  fields: 10,
  parts: 12,
  fieldSize: 1000,
  fieldNameSize: 100,
  headerPairs: 20,
};

/** Lets the routes of the scope take forms. */
export async function registerForms(scope: App): Promise<void> {
  await scope.register(multipart, { limits: LIMITS, throwFileSizeLimit: false });
}

/** Each file must be read, or left, before the next part is asked for. Throws `file_too_large`, `invalid_request`. */
export async function* readForm(req: FastifyRequest): AsyncGenerator<FormPart, void, undefined> {
  if (Number(req.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES)
    throw new AppError('file_too_large', `The file is over the limit of ${MAX_FILE_BYTES} bytes.`);
  const stopCounting = boundBody(req);
  try {
    for await (const part of req.parts()) {
      const field = part.fieldname;
      if (part.type === 'field') yield { field, value: String(part.value) };
      else yield { field, source: readFile(part.file), declared: part.mimetype, name: part.filename };
    }
  } catch (err) {
    throw broken(err);
  } finally {
    stopCounting();
    // The parser leaves a form that it gave up paused; what is left of it is read and thrown away.
    req.raw.unpipe().resume();
  }
}

async function* readFile(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* file;
  } catch (err) {
    throw broken(err);
  }
}

/** A form whose length is not announced may go on for ever around its parts, which are bounded each for itself. */
function boundBody(req: FastifyRequest): () => void {
  let bytes = 0;
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > 2 * MAX_UPLOAD_BYTES) req.raw.destroy();
  };
  req.raw.on('data', count);
  return () => req.raw.off('data', count);
}

function broken(err: unknown): AppError {
  return new AppError('invalid_request', `The form cannot be read: ${toError(err).message}.`, { cause: err });
}
