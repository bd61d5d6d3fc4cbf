// Checks URLs that a page may contain: http(s) and paths of this site, never a URL that can run a script.

/** `link` is followed, `media` is loaded into the page, `absolute` is a complete http(s) URL. */
export type UrlKind = 'link' | 'media' | 'absolute';

const SCHEMES: Readonly<Record<UrlKind, readonly string[]>> = {
  link: ['http:', 'https:', 'mailto:'],
  media: ['http:', 'https:'],
  absolute: ['http:', 'https:'],
};
/** Describes an allowed URL; follows "must be" in messages. */
export const ADDRESS_FORMS: Readonly<Record<UrlKind, string>> = {
  link: 'an http, https or mailto address, a path that starts with a single /, or #…',
  media: 'an http or https address, or a path that starts with a single /',
  absolute: 'a complete http or https address',
};
// Browsers drop tabs and line breaks and treat a backslash as a slash, so none may be in the text.
const DECEPTIVE = /[\s\\\p{Cc}\p{Cf}]/u;

export function isSafeUrl(text: string, kind: UrlKind): boolean {
  if (text === '' || DECEPTIVE.test(text)) return false;
  if (kind !== 'absolute' && /^\/(?!\/)/.test(text)) return true;
  if (kind === 'link' && text.startsWith('#')) return true;
  const url = URL.parse(text);
  if (url === null || !SCHEMES[kind].includes(url.protocol)) return false;
  return url.username === '' && url.password === '';
}
