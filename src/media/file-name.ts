// Derives the name of a stored file for its URL and for downloads.
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
 * Returns a name that needs no escaping in a URL (letters, digits, dot, dash and underscore), with an extension of the
 * type. For example, a PNG named page.html becomes page.html.png.
 */
export function toFileName(name: string, { extension }: Pick<MediaType, 'extension'>): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  const safe = base.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '');
  const extensions = [extension, ...(OTHER_EXTENSIONS[extension] ?? [])];
  if (extensions.some(known => safe.toLowerCase().endsWith(`.${known}`)))
    return safe.slice(-MAX_CHARS).replace(/^[.-]+/, '');
  return `${safe.slice(0, MAX_CHARS - 1 - extension.length) || 'file'}.${extension}`;
}
