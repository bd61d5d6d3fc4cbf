// Names the files that pages load after their content, so that browsers can cache them forever.
import { sha256Hex } from '../lib/crypto.ts';

const CONTENT_TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  woff2: 'font/woff2',
} as const;

export interface Asset {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly contentType: string;
}

/** Creates an asset whose path is `name` with a hash and the extension. */
export function createAsset(
  name: string,
  extension: keyof typeof CONTENT_TYPES,
  content: Asset['content'],
): Asset {
  const path = `${name}-${sha256Hex(content).slice(0, 12)}.${extension}`;
  return { path, content, contentType: CONTENT_TYPES[extension] };
}
