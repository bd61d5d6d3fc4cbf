// Finds the charset of received text, by its byte order mark or its content type, and decodes text of HTTP responses.

const BYTE_ORDER_MARKS: readonly (readonly [charset: string, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Returns the charset that a content type declares, such as `windows-1251`. */
export function findCharset(contentType = ''): string | undefined {
  return /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType)?.[1];
}

/** Returns the charset that a byte order mark at the start of the bytes stands for, and the length of the mark. */
export function findByteOrderMark(
  bytes: Uint8Array,
): { readonly charset: string; readonly length: number } | undefined {
  const [charset, mark] =
    BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte)) ?? [];
  return charset === undefined || mark === undefined ? undefined : { charset, length: mark.length };
}

/**
 * Decodes text without its byte order mark. A mark has priority over the declared charset, as in the Encoding Standard of
 * WHATWG. Text of no or an unknown charset is read as UTF-8.
 */
export function decodeText(bytes: Uint8Array, contentType?: string): string {
  const charset = findByteOrderMark(bytes)?.charset ?? findCharset(contentType) ?? 'utf-8';
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
