// Converts the pages of docs/ to the guides of the API reference: HTML with headings that can be linked to.
import { readFile } from 'node:fs/promises';
import { type Html, trustMarkup } from '../html.ts';
import { renderMarkdown } from '../markdown.ts';
import { toUrlSlug } from './document.ts';

const FOLDER = new URL('../../../docs/', import.meta.url);

/** In display order: first the guides for callers of the API, then those for administrators. */
const GUIDES = [
  'api',
  'agents',
  'oauth',
  'editor',
  'templates',
  'components',
  'code',
  'batches',
  'automations',
  'apps',
  'accounts',
  'media',
  'video',
  'models',
  'credits',
  'content',
  'glossary',
  'operating',
  'providers',
  'extending',
  'observability',
  'backup',
  'faults',
  'performance',
  'threat-model',
] as const;

export interface Heading {
  readonly id: string;
  readonly title: string;
}

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly body: Html;
}

export function readGuides(): Promise<readonly Guide[]> {
  return Promise.all(
    GUIDES.map(async name => toGuide(name, await readFile(new URL(`${name}.md`, FOLDER), 'utf8'))),
  );
}

function toGuide(name: string, markdown: string): Guide {
  const [, title = name, text = ''] = /^# (.+)\n([\s\S]*)$/.exec(markdown) ?? [];
  const headings: Heading[] = [];
  let tables = 0;
  const body = renderMarkdown(text, 0)
    .replace(/<h([2-6])>(.*?)<\/h\1>/g, (_, level: string, inner: string) => {
      const title = inner.replace(/<[^>]*>/g, '');
      const id = toUrlSlug(title);
      if (level === '2') headings.push({ id, title });
      return `<h${level} id="${id}">${inner}</h${level}>`;
    })
    .replace(/<a href="([^"]*)">(.*?)<\/a>/g, (_, href: string, inner: string) => toLink(href, inner))
    // An empty corner cell is not a header.
    .replaceAll('<th></th>', '<td></td>')
    // Accessible names of regions must be unique.
    .replaceAll('aria-label="Table"', () => `aria-label="Table ${++tables}"`)
    .replaceAll('<pre>', '<pre tabindex="0">');
  return { name, title, headings, body: trustMarkup(body) };
}

/** Keeps links to other guides and removes links to files of the repository. */
function toLink(href: string, inner: string): string {
  if (/^(?:https?:|#|\/)/.test(href)) return `<a href="${href}">${inner}</a>`;
  const [, name = '', hash = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return (GUIDES as readonly string[]).includes(name)
    ? `<a href="/docs/guides/${name}${hash}">${inner}</a>`
    : inner;
}
