// Builds HTML with a template tag that escapes every value that is not HTML already.
import { escapeXml } from '../graph/draw/text.ts';
import { isSafeUrl, type UrlKind } from '../lib/safe-url.ts';

/** Markup that is safe to send. Only this file creates instances, so a JSON value can never pass as safe markup. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type Piece = Html | string | number | undefined | null | readonly Piece[];

/** Escapes the pieces, joins lists, and renders undefined and null as nothing. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(String.raw({ raw: strings }, ...pieces.map(toText)));
}

/** Marks text as safe markup. Use it only for text that was just sanitized, drawn or encoded. */
export function trustMarkup(text: string): Html {
  return new Html(text);
}

/** Returns the URL for use in an attribute, or `#` if its scheme is not allowed. */
export function toSafeUrl(url: string, kind: UrlKind = 'link'): string {
  return isSafeUrl(url, kind) ? url : '#';
}

/** Embeds data in a script element, escaped so that no text can close the element or contain markup. */
export function embedJson(type: string, value: unknown, id?: string): Html {
  const text = JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return html`<script type="${type}"${id === undefined ? undefined : html` id="${id}"`}>${trustMarkup(text)}</script>`;
}

function toText(piece: Piece): string {
  if (piece === undefined || piece === null) return '';
  if (piece instanceof Html) return piece.toString();
  if (typeof piece === 'object') return piece.map(toText).join('');
  return escapeXml(String(piece));
}
