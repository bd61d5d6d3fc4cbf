// Checks the HTML of a page without a browser: structure, accessibility, URLs and structured data.
import assert from 'node:assert/strict';

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[^\s"'>/=]+(?:="[^"]*")?)*)\s*\/?>/g;
const VOID = new Set(['meta', 'link', 'img', 'br', 'hr', 'path', 'circle', 'rect', 'input', 'source']);

/** Matches URLs with a harmless scheme, and URLs of this site. */
export const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:|\/(?!\/)|#|[\w.-]+(?:\/|$))/;

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The text in the element, without markup. */
  readonly text: string;
}

/** Returns all elements. Throws if elements are not closed in order, because browsers would have to guess. */
export function listElements(page: string): Element[] {
  const elements: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const openElements: { name: string; start: number; element: (typeof elements)[number] }[] = [];
  const body = page.replace(/<(script|style)([^>]*)>[\s\S]*?<\/\1>/g, '<$1$2></$1>');
  for (const match of body.matchAll(TAG)) {
    const [tag, slash, name = '', attributes = ''] = match;
    if (slash === '/') {
      const last = openElements.pop();
      assert.equal(last?.name, name, `</${name}> closes <${last?.name}>`);
      if (last !== undefined)
        last.element.text = body
          .slice(last.start, match.index)
          .replace(/<[^>]*>/g, '')
          .trim();
      continue;
    }
    const element = { name, attributes: parseAttributes(attributes), text: '' };
    elements.push(element);
    if (!VOID.has(name) && !tag.endsWith('/>'))
      openElements.push({ name, start: match.index + tag.length, element });
  }
  assert.deepEqual(
    openElements.map(({ name }) => name),
    [],
    'every element is closed',
  );
  return elements;
}

function parseAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([^\s"'>/=]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** Checks landmarks, heading order, alternative texts, link labels and URLs, and that the page runs no scripts. */
export function checkPage(page: string): void {
  const elements = listElements(page);
  const listByName = (...names: readonly string[]): Element[] =>
    elements.filter(({ name }) => names.includes(name));
  for (const landmark of ['header', 'main', 'footer', 'h1', 'title'])
    assert.equal(
      listByName(landmark).filter(({ text }) => landmark !== 'title' || !text.startsWith('Workflow')).length,
      1,
      `one <${landmark}>`,
    );
  const levels = listByName('h1', 'h2', 'h3', 'h4', 'h5', 'h6').map(({ name }) => Number(name.slice(1)));
  for (const [index, level] of levels.entries())
    assert.ok(level <= (levels[index - 1] ?? 0) + 1, `h${level} follows h${levels[index - 1]}`);
  for (const { attributes } of listByName('img')) assert.ok('alt' in attributes, `alt of ${attributes.src}`);
  for (const { attributes, text } of listByName('a'))
    assert.ok(text !== '' || attributes['aria-label'], `text of the link to ${attributes.href}`);
  for (const { attributes } of listByName('nav')) assert.ok(attributes['aria-label'], 'a label for each nav');
  for (const { name, attributes } of elements) {
    for (const [attribute, value] of Object.entries(attributes)) {
      assert.doesNotMatch(attribute, /^on|^style$|^srcdoc$/, `${attribute} on <${name}>`);
      if (['href', 'src', 'poster'].includes(attribute))
        assert.match(value, SAFE_ADDRESS, `${attribute} of <${name}>`);
    }
    if (name === 'script') assert.equal(attributes.type, 'application/ld+json');
    assert.ok(!['iframe', 'object', 'embed', 'form', 'base'].includes(name), `<${name}>`);
  }
  const ids = elements.flatMap(({ attributes: { id } }) => (id === undefined ? [] : [id]));
  assert.equal(new Set(ids).size, ids.length, 'each id once');
}

/** Returns the items of the page's JSON-LD, by type. */
export function parseStructuredData(page: string): Readonly<Record<string, Record<string, unknown>>> {
  const [, text = ''] = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(page) ?? [];
  const { '@graph': items } = JSON.parse(text) as { '@graph': Record<string, unknown>[] };
  return Object.fromEntries(items.map(item => [String(item['@type']), item]));
}
