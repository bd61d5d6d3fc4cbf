// The name of a stored file: what stands in its address and what a browser saves it as.
import type { MediaType } from './accepted-types.ts';

const MAX_CHARS = 100;

/** Other endings that a file of the extension may have. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  jpg: ['jpeg', 'jpe', 'jfif'],
  png: ['apng'],
  mp4: ['m4v'],
  mov: ['qt'],
  wav: ['wave'],
};

/**
 * A name that stands in a URL as it is, nothing but letters, digits, dot, dash and underscore, and ends as its type
 * does: a PNG that was called page.html is saved as page.html.png.
 */
export function fileName(given: string, { extension }: Pick<MediaType, 'extension'>): string {
  const base = given.split(/[/\\]/).at(-1) ?? '';
  const safe = base.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '');
  const endings = [extension, ...(ENDINGS[extension] ?? [])];
  if (endings.some(ending => safe.toLowerCase().endsWith(`.${ending}`)))
    return safe.slice(-MAX_CHARS).replace(/^[.-]+/, '');
  return `${safe.slice(0, MAX_CHARS - 1 - extension.length) || 'file'}.${extension}`;
}
