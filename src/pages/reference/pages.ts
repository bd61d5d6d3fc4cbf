// The pages of the API reference: its start, a page for each group of operations, the types, and the guides.
import { renderDocument } from '../document.ts';
import { type Html, html } from '../html.ts';
import { REFERENCE_SCRIPT_PATH, REFERENCE_STYLE_PATH } from './assets.ts';
import { type Document, type Group, groupsOf, type Schema } from './document.ts';
import type { Guide } from './guides.ts';
import { renderOperation } from './operation.ts';
import { inline, renderSchema } from './schema.ts';

export interface Found {
  readonly title: string;
  readonly note: string;
  readonly path: string;
  /** What is searched, in lower case. */
  readonly words: string;
}

export interface Reference {
  /** Path → page; undefined where there is none. */
  page(path: string): string | undefined;
  /** All that can be searched for. */
  readonly index: readonly Found[];
}

interface Part {
  readonly title: string;
  readonly lead: string;
  readonly main: () => Html;
}

/** The reference of a document. Pages are made when they are asked for. */
export function createReference(document: Document, guides: readonly Guide[], baseUrl: string): Reference {
  const groups = groupsOf(document);
  const parts = new Map<string, Part>([
    ['/docs', startOf(groups, guides)],
    ['/docs/types', typesOf(document)],
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => [`/docs/types/${name}`, typePart(name, schema)] as const,
    ),
    ...guides.map(guide => [guidePath(guide), guidePart(guide)] as const),
    ...groups.map(group => [groupPath(group), groupPart(document, group, baseUrl)] as const),
  ]);
  return {
    page: path => {
      const part = parts.get(path);
      return part === undefined ? undefined : renderPart(path, part, { groups, guides, baseUrl });
    },
    index: [...operationEntries(groups), ...guideEntries(guides), ...typeEntries(document)],
  };
}

const groupPath = ({ slug }: Group): string => `/docs/${slug}`;
const guidePath = ({ name }: Guide): string => `/docs/guides/${name}`;

interface Around {
  readonly groups: readonly Group[];
  readonly guides: readonly Guide[];
  readonly baseUrl: string;
}

function renderPart(path: string, { title, lead, main }: Part, around: Around): string {
  return renderDocument({
    title: `${title} · API`,
    description: lead || `${title}: a guide to the API.`,
    canonical: around.baseUrl + path,
    section: '/docs',
    head: html`<link rel="stylesheet" href="${REFERENCE_STYLE_PATH}"><script src="${REFERENCE_SCRIPT_PATH}" defer></script>`,
    main: html`<div class="wrap reference"><div class="read"><p class="jump"><a href="#contents">Contents</a></p><h1>${title}</h1>${
      lead === '' ? undefined : html`<p class="lead">${inline(lead)}</p>`
    }${main()}</div>${renderContents(path, around)}</div>`,
  });
}

function renderContents(path: string, { groups, guides }: Around): Html {
  const link = (to: string, label: string): Html =>
    html`<a href="${to}"${to === path ? html` aria-current="page"` : undefined}>${label}</a>`;
  return html`<nav class="contents" id="contents" aria-label="Contents">
<form role="search" data-search hidden><label><span>Search</span><input type="search" autocomplete="off" spellcheck="false" placeholder="/"></label><p class="soft" role="status"></p><ul data-found></ul></form>
<details class="credential" data-credential hidden><summary>Your credential</summary><label><span>API key</span><input type="password" autocomplete="off" placeholder="sk-…"></label><p class="soft" data-session>Kept in this tab alone.</p></details>
<h2>Guides</h2><ul><li>${link('/docs', 'Start')}</li>${guides.map(
    guide =>
      html`<li>${link(guidePath(guide), guide.title)}${
        guidePath(guide) === path ? within(guide.headings.map(({ id, title }) => [id, title])) : undefined
      }</li>`,
  )}</ul>
<h2>Operations</h2><ul>${groups.map(
    group =>
      html`<li>${link(groupPath(group), group.name)}${
        groupPath(group) === path
          ? within(group.operations.map(({ operationId, summary = operationId }) => [operationId, summary]))
          : undefined
      }</li>`,
  )}<li>${link('/docs/types', 'Types')}</li></ul></nav>`;
}

function within(headings: readonly (readonly [id: string, title: string])[]): Html {
  return html`<ul>${headings.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
}

function startOf(groups: readonly Group[], guides: readonly Guide[]): Part {
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  return {
    title: 'The API',
    lead: 'Store, lint, lay out, run and publish graphs of AI-media nodes.',
    main: () => html`<p>${count} operations in ${groups.length} groups, each with its parameters, answers, refusals, and the same request in curl, JavaScript and Python. <a href="/openapi.json">The OpenAPI document</a> is what this reference is made of; <a href="/docs/guides/api">How the API behaves</a> is what a schema cannot say.</p>
<section class="part"><h2>Guides</h2><ul class="grid">${guides.map(
      guide =>
        html`<li><h3><a href="${guidePath(guide)}">${guide.title}</a></h3><p>${guide.headings
          .slice(0, 4)
          .map(({ title }) => title)
          .join(', ')}</p></li>`,
    )}</ul></section>
<section class="part"><h2>Operations</h2><ul class="grid">${groups.map(
      group =>
        html`<li><h3><a href="${groupPath(group)}">${group.name}</a></h3><p>${inline(group.description)}</p></li>`,
    )}</ul></section>`,
  };
}

function typesOf({ components }: Document): Part {
  return {
    title: 'Types',
    lead: 'What the API takes and answers, by name. The SDK has each as `Schemas.Name`.',
    main: () =>
      html`<dl class="members">${Object.entries(components.schemas).map(
        ([name, { description = '' }]) =>
          html`<div><dt><a href="/docs/types/${name}">${name}</a></dt><dd>${inline(description.split('\n')[0] ?? '')}</dd></div>`,
      )}</dl>`,
  };
}

function typePart(name: string, schema: Schema): Part {
  return { title: name, lead: schema.description ?? 'A type of the API.', main: () => renderSchema(schema) };
}

function groupPart(document: Document, group: Group, baseUrl: string): Part {
  const { origin } = new URL(baseUrl);
  return {
    title: group.name,
    lead: group.description,
    main: () => html`${group.operations.map(operation => renderOperation(document, operation, origin))}`,
  };
}

const guidePart = ({ title, body }: Guide): Part => ({
  title,
  lead: '',
  main: () => html`<div class="prose">${body}</div>`,
});

function operationEntries(groups: readonly Group[]): Found[] {
  return groups.flatMap(group =>
    group.operations.map(({ operationId, summary = operationId, description = '', method, path }) => ({
      title: summary,
      note: `${method} ${path}`,
      path: `${groupPath(group)}#${operationId}`,
      words: `${summary} ${method} ${path} ${operationId} ${description}`.toLowerCase(),
    })),
  );
}

function guideEntries(guides: readonly Guide[]): Found[] {
  return guides.flatMap(guide =>
    [{ id: '', title: guide.title }, ...guide.headings].map(({ id, title }) => ({
      title,
      note: id === '' ? 'Guide' : guide.title,
      path: `${guidePath(guide)}${id === '' ? '' : `#${id}`}`,
      words: `${title} ${guide.title}`.toLowerCase(),
    })),
  );
}

function typeEntries({ components }: Document): Found[] {
  return Object.entries(components.schemas).map(([name, { description = '' }]) => ({
    title: name,
    note: 'Type',
    path: `/docs/types/${name}`,
    words: `${name} ${description.slice(0, 300)}`.toLowerCase(),
  }));
}
