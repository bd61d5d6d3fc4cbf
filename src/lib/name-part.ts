// Turns texts of people into parts of file names.

const MAX_CHARS = 60;

/** Keeps letters and digits of every language. The result is valid in a file name on every system. */
export function toNamePart(text: string): string {
  const part = text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, MAX_CHARS);
  return part === '' ? 'output' : part;
}
