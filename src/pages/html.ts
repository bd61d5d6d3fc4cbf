// HTML as a value: the template tag escapes whatever is put into it that is not HTML already.
import { escapeXml } from '../graph/draw/text.ts';
import { type AddressKind, isWebAddress } from '../lib/web-address.ts';

/** Markup that is safe to send. Only this file makes it; a JSON value can never pass for it. */
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

/** Markup with its pieces escaped; lists are joined, what is absent leaves nothing. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(String.raw({ raw: strings }, ...pieces.map(toText)));
}

/** Takes text for markup: for what was sanitized, drawn or encoded just before, and nothing else. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** An address as an attribute value; one that a page may not carry becomes `#`. */
export function address(url: string, kind: AddressKind = 'link'): string {
  return isWebAddress(url, kind) ? url : '#';
}

function toText(piece: Piece): string {
  if (piece === undefined || piece === null) return '';
  if (piece instanceof Html) return piece.toString();
  if (typeof piece === 'object') return piece.map(toText).join('');
  return escapeXml(String(piece));
}
