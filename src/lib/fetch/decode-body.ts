// Decompresses the bodies of responses. The client asks for none, but some servers compress anyway.
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** Content codings; see RFC 9110, section 8.4.1. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Returns the decompressed body, or the body itself if it is not compressed or in several or unknown ways. Destroying the
 * result also destroys the body.
 */
export function decodeBody(body: Readable, contentEncoding: string): Readable {
  const createDecoder = DECODERS[contentEncoding.trim().toLowerCase()];
  // Whoever reads the decoder gets its errors, and those of the body.
  return createDecoder === undefined ? body : pipeline(body, createDecoder(), () => undefined);
}
