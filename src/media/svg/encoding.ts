// Decodes XML bytes to text by the byte order mark, else the pattern of the first `<`, else the XML declaration, else
// as UTF-8 (XML 1.0, appendix F).

const DECLARATION = /^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z][\w.:-]{0,40})["']/;

/** Decodes the complete text. Throws if the encoding is unknown or the bytes are invalid. */
export function decodeXml(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes), { fatal: true }).decode(bytes);
}

/** Decodes the first bytes of a file, which may end within a character. Throws like `decodeXml`. */
export function decodeXmlStart(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes), { fatal: true }).decode(bytes, { stream: true });
}

function detectEncoding(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return 'utf-16be';
  if (a === 0xef && b === 0xbb) return 'utf-8';
  return DECLARATION.exec(Buffer.from(bytes.subarray(0, 300)).toString('latin1'))?.[1] ?? 'utf-8';
}
