// Makes an SVG harmless: it is parsed as strict XML and rebuilt from an allowlist; nothing of the original text remains.
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { AppError } from '../lib/errors.ts';
import { ATTRIBUTES, ELEMENTS } from './svg-allowlist.ts';
import { checkDrawingCost, type SvgElement } from './svg-cost.ts';
import { decodeXml } from './svg-encoding.ts';

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink';
const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 64;
const MAX_ENTITIES = 50;
// No value may hold a reference in turn, so one reference grows to 128 characters at most.
const ENTITY = /<!ENTITY\s+([\p{L}_][\p{L}\p{N}_.-]{0,63})\s+(["'])([^&<%"']{0,128})\2\s*>/gu;

/**
 * The SVG as UTF-8 that draws the same and does nothing else. Throws `invalid_svg` where it is not well-formed or its root
 * is not svg, `svg_too_complex` over 20,000 elements, 64 levels, or where its references explode.
 */
export function sanitizeSvg(bytes: Uint8Array): Buffer {
  const document = parse(decode(bytes));
  checkDrawingCost(document.root, document.byId);
  const xlink = document.usesXlink ? ` xmlns:xlink="${XLINK_NAMESPACE}"` : '';
  document.root.attributes = ` xmlns="${SVG_NAMESPACE}"${xlink}${document.root.attributes}`;
  const parts: string[] = [];
  print(document.root, parts);
  return Buffer.from(parts.join(''), 'utf8');
}

function decode(bytes: Uint8Array): string {
  try {
    return decodeXml(bytes);
  } catch (err) {
    throw new AppError('invalid_svg', 'The SVG is not text in the encoding that it declares.', {
      cause: err,
    });
  }
}

interface SvgDocument {
  readonly root: SvgElement;
  readonly byId: ReadonlyMap<string, SvgElement>;
  readonly usesXlink: boolean;
}

function parse(text: string): SvgDocument {
  // XML 1.1 would let control characters in, which what is printed here could not say.
  const parser = new SaxesParser({
    xmlns: true,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  const byId = new Map<string, SvgElement>();
  // The elements that are open, outermost first; undefined: dropped, and all within it.
  const open: (SvgElement | undefined)[] = [];
  let root: SvgElement | undefined;
  let elements = 0;
  let usesXlink = false;

  parser.on('doctype', doctype => {
    for (const [, name = '', , value = ''] of [...doctype.matchAll(ENTITY)].slice(0, MAX_ENTITIES))
      parser.ENTITIES[name] = value;
  });
  parser.on('opentagstart', () => {
    if (++elements > MAX_ELEMENTS)
      throw new AppError('svg_too_complex', `The SVG has over ${MAX_ELEMENTS} elements.`);
    if (open.length >= MAX_DEPTH)
      throw new AppError('svg_too_complex', `The SVG is nested over ${MAX_DEPTH} levels deep.`);
  });
  parser.on('opentag', tag => {
    const parent = open.at(-1);
    if (root === undefined && !isSvgRoot(tag))
      throw new AppError('invalid_svg', 'The root element of the SVG is not svg.');
    const element = root === undefined || parent !== undefined ? rebuild(tag, byId) : undefined;
    open.push(element);
    if (element === undefined) return;
    usesXlink ||= element.attributes.includes(' xlink:');
    parent?.children.push(element);
    root ??= element;
  });
  parser.on('closetag', () => open.pop());
  try {
    parser.write(text).close();
  } catch (err) {
    if (err instanceof AppError) throw err;
    throw new AppError(
      'invalid_svg',
      `The SVG is not well-formed XML: ${(err as Error).message.slice(0, 200)}`,
      { cause: err },
    );
  }
  if (root === undefined) throw new AppError('invalid_svg', 'The SVG holds no element.');
  return { root, byId, usesXlink };
}

/** Many SVGs are written without the namespace; what is printed has it. */
function isSvgNamespace(uri: string): boolean {
  return uri === SVG_NAMESPACE || uri === '';
}

function isSvgRoot({ local, uri }: SaxesTagNS): boolean {
  return local === 'svg' && isSvgNamespace(uri);
}

/** The element with what is allowed of its attributes; undefined where it is dropped. */
function rebuild(tag: SaxesTagNS, byId: Map<string, SvgElement>): SvgElement | undefined {
  const name = isSvgNamespace(tag.uri) ? ELEMENTS.get(tag.local) : undefined;
  if (name === undefined) return undefined;
  const element: SvgElement = { name, attributes: '', targets: [], children: [] };
  for (const attribute of Object.values(tag.attributes)) {
    const printed = printedName(attribute);
    const clean = printed === undefined ? undefined : ATTRIBUTES.get(attribute.local)?.(attribute.value);
    if (clean === undefined) continue;
    if (attribute.local === 'id') {
      // Renderers differ in which of two equal ids they mean, and the cost would be counted for one of them only.
      if (byId.has(clean.text)) continue;
      byId.set(clean.text, element);
    }
    element.targets.push(...clean.targets);
    element.attributes += ` ${printed}="${clean.text}"`;
  }
  return element;
}

/** Under what name the attribute is printed; undefined: not at all, since it is of another namespace. */
function printedName({ uri, local }: SaxesAttributeNS): string | undefined {
  if (uri === '') return local;
  return uri === XLINK_NAMESPACE && local === 'href' ? 'xlink:href' : undefined;
}

function print({ name, attributes, children }: SvgElement, parts: string[]): void {
  if (children.length === 0) {
    parts.push(`<${name}${attributes}/>`);
    return;
  }
  parts.push(`<${name}${attributes}>`);
  for (const child of children) print(child, parts);
  parts.push(`</${name}>`);
}
