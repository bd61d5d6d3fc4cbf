// Sanitizes an SVG: parses it as strict XML and rebuilds it with the elements and attributes of an allowlist.
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { AppError } from '../../lib/errors.ts';
import { ATTRIBUTES, ELEMENTS, INVISIBLE_ELEMENTS } from './allowlist.ts';
import { requireWithinDrawingLimits, type SvgElement } from './cost.ts';
import { type StyledElement, StyleSheet } from './style-sheet.ts';
import { decodeXml } from './text.ts';

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink';
const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 64;
const MAX_ENTITIES = 50;
/** Characters by their names in HTML, which programs write although XML does not define them. Texts are removed anyway. */
const HTML_ENTITIES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'nbsp iexcl cent pound yen sect copy laquo shy reg deg plusmn micro para middot raquo frac12 iquest Auml Ouml times Uuml ' +
    'szlig agrave aacute auml ccedil egrave eacute iacute ntilde oacute ouml uacute uuml ensp emsp thinsp zwnj zwj ndash ' +
    'mdash lsquo rsquo ldquo rdquo bull hellip euro trade larr uarr rarr darr minus'
  )
    .split(' ')
    .map(name => [name, ' ']),
);
// The namespaces that are added to the root take fewer bytes than this.
const ROOT_BYTES = 200;
// The values of entities contain no references, so a reference expands to at most 128 characters.
const ENTITY = /<!ENTITY\s+([\p{L}_][\p{L}\p{N}_.-]{0,63})\s+(["'])([^&<%"']{0,128})\2\s*>/gu;

const STYLE_SHEET = /<(?:[\w-]+:)?style[\s>]/;
const MAX_CLASSES = 20;
const MAX_NAMED = 5;

export interface SanitizedSvg {
  readonly bytes: Buffer;
  /** Sentences about what was removed although it is visible. */
  readonly warnings: readonly string[];
}

/**
 * Returns UTF-8 SVG with only the allowed shapes and references. Removes text, images and filters. Simple rules of style
 * sheets become style attributes. Throws `invalid_svg` if the SVG is not well-formed or has another root, and
 * `svg_too_complex` for more than 20,000 elements, 64 levels, or references or rules that repeat too much.
 */
export function sanitizeSvg(bytes: Uint8Array): SanitizedSvg {
  const state = parse(decode(bytes));
  const { root, byId, usesXlink } = state;
  if (root === undefined) throw new AppError('invalid_svg', 'The SVG has no elements.');
  const { styleBytes, skippedRules } = applyStyleSheet(state);
  requireWithinDrawingLimits(root, byId);
  const xlink = usesXlink ? ` xmlns:xlink="${XLINK_NAMESPACE}"` : '';
  root.attributes = ` xmlns="${SVG_NAMESPACE}"${xlink}${root.attributes}`;
  const printed = Buffer.from(print(root), 'utf8');
  // Text of another encoding hardly ever doubles in UTF-8, so text that grew more uses entities.
  if (printed.length > 2 * bytes.length + ROOT_BYTES + styleBytes) {
    throw new AppError('svg_too_complex', 'The entities of the SVG repeat too much text.');
  }
  const warnings = [
    ...describe('Elements of these kinds were removed', [...state.droppedNames]),
    ...describe('These rules of its style sheet were not applied', skippedRules),
  ];
  return { bytes: printed, warnings };
}

function describe(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const listed = names.slice(0, MAX_NAMED).map(name => name.slice(0, 100));
  const rest = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} others` : '';
  return [`${what}: ${listed.join(', ')}${rest}.`];
}

/** Adds the declarations of the style sheets to the elements. Those of their style attributes win, unless others are important. */
function applyStyleSheet({ css, classed }: ParseState): {
  readonly styleBytes: number;
  readonly skippedRules: readonly string[];
} {
  if (css.trim() === '') return { styleBytes: 0, skippedRules: [] };
  const sheet = readStyleSheet(css);
  if (sheet === undefined) return { styleBytes: 0, skippedRules: ['all, because it has a syntax error'] };
  for (const [element, styled] of classed) {
    const { normal, important } = sheet.find(styled);
    for (const target of [...normal.targets, ...important.targets]) element.targets.push(target);
    element.style = [normal.text, element.style, important.text].filter(text => text !== '').join(';');
  }
  return { styleBytes: sheet.characters, skippedRules: sheet.skipped };
}

function readStyleSheet(css: string): StyleSheet | undefined {
  try {
    return new StyleSheet(css);
  } catch {
    return undefined;
  }
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
  /** The text of all style sheets. */
  css: string;
  /** Where the current style sheet is, as the number of its ancestors. */
  styleLevel: number | undefined;
  readonly hasStyles: boolean;
  readonly switches: Set<SvgElement>;
  /** What selectors match, by the element. Empty without style sheets. */
  readonly classed: Map<SvgElement, StyledElement>;
  /** The names of dropped elements that would be visible. */
  readonly droppedNames: Set<string>;
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
    css: '',
    styleLevel: undefined,
    hasStyles: STYLE_SHEET.test(text),
    switches: new Set(),
    classed: new Map(),
    droppedNames: new Set(),
    elements: 0,
    usesXlink: false,
  };
  Object.assign(parser.ENTITIES, HTML_ENTITIES);
  parser.on('doctype', doctype => {
    for (const [, name = '', , value = ''] of [...doctype.matchAll(ENTITY)].slice(0, MAX_ENTITIES)) {
      parser.ENTITIES[name] = value;
    }
  });
  // Counts elements before their attributes are read. The limits apply to dropped elements, too.
  parser.on('opentagstart', () => countElement(state));
  parser.on('opentag', tag => openElement(state, tag));
  parser.on('closetag', () => {
    state.openElements.pop();
    if (state.openElements.length === state.styleLevel) state.styleLevel = undefined;
  });
  const addText = (text: string): void => {
    if (state.styleLevel !== undefined) state.css += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
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
  if (parent !== undefined && element === undefined && isSvgNamespace(tag.uri))
    dropElement(state, tag, parent);
  state.openElements.push(element);
  if (element !== undefined) parent?.children.push(element);
}

function dropElement(state: ParseState, { local, attributes }: SaxesTagNS, parent: SvgElement): void {
  if (local !== 'style') {
    // Illustrator adds its own data to a switch, beside the drawing that others show.
    const isPrivate = local === 'foreignObject' && state.switches.has(parent);
    if (!isPrivate && !INVISIBLE_ELEMENTS.has(local)) state.droppedNames.add(local);
    return;
  }
  const [type, media] = [attributes.type?.value ?? 'text/css', attributes.media?.value ?? 'all'];
  if (/^(text\/css)?$/i.test(type) && /^(all|screen|)$/i.test(media))
    state.styleLevel = state.openElements.length;
  else state.droppedNames.add('style');
}

/** Accepts a missing namespace, because many SVGs lack it. The output has it. */
function isSvgNamespace(uri: string): boolean {
  return uri === SVG_NAMESPACE || uri === '';
}

/** Returns the element with its allowed attributes, or undefined if the element is not allowed. */
function rebuildElement(state: ParseState, tag: SaxesTagNS): SvgElement | undefined {
  const name = isSvgNamespace(tag.uri) ? ELEMENTS.get(tag.local) : undefined;
  if (name === undefined) return undefined;
  const element: SvgElement = { name, attributes: '', style: '', targets: [], children: [] };
  if (tag.local === 'switch') state.switches.add(element);
  if (state.hasStyles)
    state.classed.set(element, {
      name: tag.local,
      classes: (tag.attributes.class?.value ?? '').split(/\s+/, MAX_CLASSES).filter(each => each !== ''),
      id: tag.attributes.id?.value,
    });
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
    if (local === 'style') element.style = clean.text;
    else element.attributes += ` ${isXlink ? 'xlink:href' : local}="${clean.text}"`;
  }
  return element;
}

function print({ name, attributes, style, children }: SvgElement): string {
  const start = style === '' ? `<${name}${attributes}` : `<${name}${attributes} style="${style}"`;
  if (children.length === 0) return `${start}/>`;
  let printed = `${start}>`;
  for (const child of children) printed += print(child);
  return `${printed}</${name}>`;
}
