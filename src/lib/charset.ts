// Decodes text that was received over HTTP, by its byte order mark or the charset that its content type declares.

const BYTE_ORDER_MARKS: readonly (readonly [charset: string, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Returns the charset that a content type declares, such as `windows-1251`. */
export function findCharset(contentType = ''): string | undefined {
  return /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType)?.[1];
}

/** Returns the charset that the bytes begin with the mark of. */
export function findMarkedCharset(bytes: Uint8Array): string | undefined {
  return BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
}

/**
 * Decodes text without its byte order mark. A mark has priority over the declared charset, as in the Encoding Standard of
 * WHATWG. Text of no or an unknown charset is read as UTF-8.
 */
export function decodeText(bytes: Uint8Array, contentType?: string): string {
  const charset = findMarkedCharset(bytes) ?? findCharset(contentType) ?? 'utf-8';
  return createTextDecoder(charset).decode(bytes);
}

/** Creates a decoder, of UTF-8 if the charset is unknown. */
function createTextDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
