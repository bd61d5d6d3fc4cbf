// Sanitizes an SVG: parses it as strict XML and rebuilds it with the elements and attributes of an allowlist.
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { AppError } from '../../lib/errors.ts';
import { ATTRIBUTES, ELEMENTS } from './allowlist.ts';
import { requireWithinDrawingLimits, type SvgElement } from './cost.ts';
import { decodeXml } from './text.ts';

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink';
const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 64;
const MAX_ENTITIES = 50;
// The namespaces that are added to the root take fewer bytes than this.
const ROOT_BYTES = 200;
// The values of entities contain no references, so a reference expands to at most 128 characters.
const ENTITY = /<!ENTITY\s+([\p{L}_][\p{L}\p{N}_.-]{0,63})\s+(["'])([^&<%"']{0,128})\2\s*>/gu;

/**
 * Returns UTF-8 SVG with only the allowed shapes and references. Removes text, images, filters and style sheets. Throws
 * `invalid_svg` if the SVG is not well-formed or has another root, and `svg_too_complex` for more than 20,000 elements, 64
 * levels, or references that repeat too many elements.
 */
export function sanitizeSvg(bytes: Uint8Array): Buffer {
  const { root, byId, usesXlink } = parse(decode(bytes));
  if (root === undefined) throw new AppError('invalid_svg', 'The SVG has no elements.');
  requireWithinDrawingLimits(root, byId);
  const xlink = usesXlink ? ` xmlns:xlink="${XLINK_NAMESPACE}"` : '';
  root.attributes = ` xmlns="${SVG_NAMESPACE}"${xlink}${root.attributes}`;
  const printed = Buffer.from(print(root), 'utf8');
  // Text of another encoding hardly ever doubles in UTF-8, so text that grew more uses entities.
  if (printed.length > 2 * bytes.length + ROOT_BYTES) {
    throw new AppError('svg_too_complex', 'The entities of the SVG repeat too much text.');
  }
  return printed;
}

function decode(bytes: Uint8Array): string {
  try {
    return decodeXml(bytes);
  } catch (err) {
    throw new AppError('invalid_svg', 'The SVG is not valid text in its declared encoding.', {
      cause: err,
    });
  }
}

interface ParseState {
  root: SvgElement | undefined;
  /** The ancestors of the current position, outermost first. A dropped element is undefined. */
  readonly openElements: (SvgElement | undefined)[];
  readonly byId: Map<string, SvgElement>;
  elements: number;
  usesXlink: boolean;
}

function parse(text: string): ParseState {
  // XML 1.1 would allow control characters, which the output could not represent.
  const parser = new SaxesParser({
    xmlns: true,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  const state: ParseState = {
    root: undefined,
    openElements: [],
    byId: new Map(),
    elements: 0,
    usesXlink: false,
  };
  parser.on('doctype', doctype => {
    for (const [, name = '', , value = ''] of [...doctype.matchAll(ENTITY)].slice(0, MAX_ENTITIES)) {
      parser.ENTITIES[name] = value;
    }
  });
  // Counts elements before their attributes are read. The limits apply to dropped elements, too.
  parser.on('opentagstart', () => countElement(state));
  parser.on('opentag', tag => openElement(state, tag));
  parser.on('closetag', () => state.openElements.pop());
  try {
    parser.write(text).close();
  } catch (err) {
    if (err instanceof AppError) throw err;
    const reason = (err as Error).message.slice(0, 200);
    throw new AppError('invalid_svg', `The SVG is not well-formed XML: ${reason}`, { cause: err });
  }
  return state;
}

function countElement(state: ParseState): void {
  if (++state.elements > MAX_ELEMENTS) {
    throw new AppError('svg_too_complex', `The SVG has over ${MAX_ELEMENTS} elements.`);
  }
  if (state.openElements.length >= MAX_DEPTH) {
    throw new AppError('svg_too_complex', `The SVG is nested over ${MAX_DEPTH} levels deep.`);
  }
}

function openElement(state: ParseState, tag: SaxesTagNS): void {
  if (state.root === undefined) {
    if (tag.local !== 'svg' || !isSvgNamespace(tag.uri)) {
      throw new AppError('invalid_svg', 'The root element of the SVG is not svg.');
    }
    state.root = rebuildElement(state, tag);
    state.openElements.push(state.root);
    return;
  }
  const parent = state.openElements.at(-1);
  const element = parent === undefined ? undefined : rebuildElement(state, tag);
  state.openElements.push(element);
  if (element !== undefined) parent?.children.push(element);
}

/** Accepts a missing namespace, because many SVGs lack it. The output has it. */
function isSvgNamespace(uri: string): boolean {
  return uri === SVG_NAMESPACE || uri === '';
}

/** Returns the element with its allowed attributes, or undefined if the element is not allowed. */
function rebuildElement(state: ParseState, tag: SaxesTagNS): SvgElement | undefined {
  const name = isSvgNamespace(tag.uri) ? ELEMENTS.get(tag.local) : undefined;
  if (name === undefined) return undefined;
  const element: SvgElement = { name, attributes: '', targets: [], children: [] };
  for (const { uri, local, value } of Object.values(tag.attributes)) {
    const isXlink = uri === XLINK_NAMESPACE && local === 'href';
    const clean = uri === '' || isXlink ? ATTRIBUTES.get(local)?.(value) : undefined;
    if (clean === undefined) continue;
    if (local === 'id') {
      // Renderers differ in which of two equal ids they use, but the cost is computed for only one.
      if (state.byId.has(clean.text)) continue;
      state.byId.set(clean.text, element);
    }
    if (isXlink) state.usesXlink = true;
    if (clean.targets.length > 0) element.targets.push(...clean.targets);
    element.attributes += ` ${isXlink ? 'xlink:href' : local}="${clean.text}"`;
  }
  return element;
}

function print({ name, attributes, children }: SvgElement): string {
  if (children.length === 0) return `<${name}${attributes}/>`;
  let printed = `<${name}${attributes}>`;
  for (const child of children) printed += print(child);
  return `${printed}</${name}>`;
}
