// Turns the names of uploaded files into names for URLs and downloads, and reads names from URLs.
import type { MediaType } from './accepted-types.ts';

const MAX_CHARS = 100;

/** Other extensions that a file of the type may have. */
const OTHER_EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  jpg: ['jpeg', 'jpe', 'jfif'],
  png: ['apng'],
  mp4: ['m4v'],
  mov: ['qt'],
  wav: ['wave'],
};

/**
 * Returns a name of letters and digits of any language, dots, dashes and underscores, with an extension of the type. For
 * example, a PNG named page.html becomes page.html.png. Systems that decompose letters, such as macOS, get the same name.
 */
export function toFileName(name: string, { extension }: Pick<MediaType, 'extension'>): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  const safe = base
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+/, '');
  const extensions = [extension, ...(OTHER_EXTENSIONS[extension] ?? [])];
  if (extensions.some(known => safe.toLowerCase().endsWith(`.${known}`)))
    return [...safe]
      .slice(-MAX_CHARS)
      .join('')
      .replace(/^[.-]+/, '');
  return `${[...safe].slice(0, MAX_CHARS - 1 - extension.length).join('') || 'file'}.${extension}`;
}

/** Decodes the name in a URL. */
export function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Not every % in a URL is a valid escape.
    return encoded;
  }
}
