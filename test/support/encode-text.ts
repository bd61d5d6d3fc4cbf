// Encodes text in encodings that Node can only decode.

const encoders = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Returns the bytes. Throws if the encoding, which must not be Unicode, has no such character. */
export function encodeText(text: string, encoding: string): Buffer {
  const bytesByChar = encoders.get(encoding) ?? createEncoder(encoding);
  encoders.set(encoding, bytesByChar);
  return Buffer.from(
    Array.from(text, char => {
      const bytes = bytesByChar.get(char);
      if (bytes === undefined) throw new Error(`${encoding} has no ${char}.`);
      return bytes;
    }).flat(),
  );
}

/** Decodes all characters of one and two bytes. */
function createEncoder(encoding: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const encoder = new Map<string, readonly number[]>();
  const add = (...bytes: number[]): void => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if ([...text].length === 1 && !encoder.has(text)) encoder.set(text, bytes);
    } catch {
      // No character has these bytes.
    }
  };
  for (let byte = 0; byte < 256; byte++) add(byte);
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail);
  return encoder;
}
