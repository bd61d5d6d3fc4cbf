// Creates the pages of the API reference: the overview, a page per group of operations, the types, and the guides.
import { renderDocument } from '../document.ts';
import { type Html, html } from '../html.ts';
import { REFERENCE_SCRIPT, REFERENCE_STYLE } from './assets.ts';
import { type ApiDocument, type Group, listGroups, type Schema } from './document.ts';
import type { Guide } from './guides.ts';
import { renderOperation } from './operation.ts';
import { renderInline, renderSchema } from './schema.ts';

export interface SearchEntry {
  readonly title: string;
  readonly note: string;
  readonly path: string;
  /** The text to search, in lower case. */
  readonly searchText: string;
}

export interface Reference {
  /** Returns the HTML of the page at the path, or undefined. */
  render(path: string): string | undefined;
  readonly searchIndex: readonly SearchEntry[];
}

interface ReferencePage {
  readonly title: string;
  readonly lead: string;
  readonly main: () => Html;
}

/** Creates the reference of an OpenAPI document. Pages are rendered on request. */
export function createReference(document: ApiDocument, guides: readonly Guide[], baseUrl: string): Reference {
  const groups = listGroups(document);
  const pages = new Map<string, ReferencePage>([
    ['/docs', createOverview(groups, guides)],
    ['/docs/types', createTypeList(document)],
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => [`/docs/types/${name}`, createTypePage(name, schema)] as const,
    ),
    ...guides.map(guide => [getGuidePath(guide), createGuidePage(guide)] as const),
    ...groups.map(group => [getGroupPath(group), createGroupPage(document, group, baseUrl)] as const),
  ]);
  return {
    render: path => {
      const page = pages.get(path);
      return page && renderPage(path, page, { groups, guides, baseUrl });
    },
    searchIndex: [...listOperationEntries(groups), ...listGuideEntries(guides), ...listTypeEntries(document)],
  };
}

const getGroupPath = ({ slug }: Group): string => `/docs/${slug}`;
const getGuidePath = ({ name }: Guide): string => `/docs/guides/${name}`;

interface Navigation {
  readonly groups: readonly Group[];
  readonly guides: readonly Guide[];
  readonly baseUrl: string;
}

function renderPage(path: string, { title, lead, main }: ReferencePage, navigation: Navigation): string {
  return renderDocument({
    title: `${title} · API`,
    description: lead || `${title}: a guide to the API.`,
    canonical: navigation.baseUrl + path,
    section: '/docs',
    head: html`<link rel="stylesheet" href="${REFERENCE_STYLE.path}"><script src="${REFERENCE_SCRIPT.path}" defer></script>`,
    main: html`<div class="wrap reference"><div class="read"><p class="contents-link"><a href="#contents">Contents</a></p><h1>${title}</h1>${
      lead === '' ? undefined : html`<p class="lead">${renderInline(lead)}</p>`
    }${main()}</div>${renderContents(path, navigation)}</div>`,
  });
}

function renderContents(path: string, { groups, guides }: Navigation): Html {
  const link = (target: string, label: string): Html =>
    html`<a href="${target}"${target === path ? html` aria-current="page"` : undefined}>${label}</a>`;
  return html`<nav class="contents" id="contents" aria-label="Contents">
<form role="search" data-search hidden><label><span>Search</span><input type="search" autocomplete="off" spellcheck="false" placeholder="/"></label><p class="muted" role="status"></p><ul data-found></ul></form>
<details class="credential" data-credential hidden><summary>Authentication</summary><label><span>API key</span><input type="password" autocomplete="off" placeholder="sk-…"></label><p class="muted" data-session>Stored only in this tab.</p></details>
<h2>Guides</h2><ul><li>${link('/docs', 'Overview')}</li>${guides.map(
    guide =>
      html`<li>${link(getGuidePath(guide), guide.title)}${
        getGuidePath(guide) === path
          ? renderAnchors(guide.headings.map(({ id, title }) => [id, title]))
          : undefined
      }</li>`,
  )}</ul>
<h2>Operations</h2><ul>${groups.map(
    group =>
      html`<li>${link(getGroupPath(group), group.name)}${
        getGroupPath(group) === path
          ? renderAnchors(
              group.operations.map(({ operationId, summary = operationId }) => [operationId, summary]),
            )
          : undefined
      }</li>`,
  )}<li>${link('/docs/types', 'Types')}</li></ul></nav>`;
}

function renderAnchors(headings: readonly (readonly [id: string, title: string])[]): Html {
  return html`<ul>${headings.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
}

function createOverview(groups: readonly Group[], guides: readonly Guide[]): ReferencePage {
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  return {
    title: 'API reference',
    lead: 'Create, validate, run and publish AI media workflows.',
    main: () => html`<p>${count} operations in ${groups.length} groups, each with its parameters, responses, errors, and an example request in curl, JavaScript and Python. Start with the <a href="/docs/guides/api">API guide</a>, or download the <a href="/openapi.json">OpenAPI document</a>.</p>
<section class="part"><h2>Guides</h2><ul class="grid">${guides.map(
      guide =>
        html`<li><h3><a href="${getGuidePath(guide)}">${guide.title}</a></h3><p>${guide.headings
          .slice(0, 4)
          .map(({ title }) => title)
          .join(', ')}</p></li>`,
    )}</ul></section>
<section class="part"><h2>Operations</h2><ul class="grid">${groups.map(
      group =>
        html`<li><h3><a href="${getGroupPath(group)}">${group.name}</a></h3><p>${renderInline(group.description)}</p></li>`,
    )}</ul></section>`,
  };
}

function createTypeList({ components }: ApiDocument): ReferencePage {
  return {
    title: 'Types',
    lead: 'The types of requests and responses. The SDK exports each one as `Schemas.Name`.',
    main: () =>
      html`<dl class="fields">${Object.entries(components.schemas).map(
        ([name, { description = '' }]) =>
          html`<div><dt><a href="/docs/types/${name}">${name}</a></dt><dd>${renderInline(description.split('\n')[0] ?? '')}</dd></div>`,
      )}</dl>`,
  };
}

function createTypePage(name: string, schema: Schema): ReferencePage {
  return { title: name, lead: schema.description ?? 'A type of the API.', main: () => renderSchema(schema) };
}

function createGroupPage(document: ApiDocument, group: Group, baseUrl: string): ReferencePage {
  const { origin } = new URL(baseUrl);
  return {
    title: group.name,
    lead: group.description,
    main: () => html`${group.operations.map(operation => renderOperation(document, operation, origin))}`,
  };
}

const createGuidePage = ({ title, body }: Guide): ReferencePage => ({
  title,
  lead: '',
  main: () => html`<div class="prose">${body}</div>`,
});

function listOperationEntries(groups: readonly Group[]): SearchEntry[] {
  return groups.flatMap(group =>
    group.operations.map(({ operationId, summary = operationId, description = '', method, path }) => ({
      title: summary,
      note: `${method} ${path}`,
      path: `${getGroupPath(group)}#${operationId}`,
      searchText: `${summary} ${method} ${path} ${operationId} ${description}`.toLowerCase(),
    })),
  );
}

function listGuideEntries(guides: readonly Guide[]): SearchEntry[] {
  return guides.flatMap(guide =>
    [{ id: '', title: guide.title }, ...guide.headings].map(({ id, title }) => ({
      title,
      note: id === '' ? 'Guide' : guide.title,
      path: `${getGuidePath(guide)}${id === '' ? '' : `#${id}`}`,
      searchText: `${title} ${guide.title}`.toLowerCase(),
    })),
  );
}

function listTypeEntries({ components }: ApiDocument): SearchEntry[] {
  return Object.entries(components.schemas).map(([name, { description = '' }]) => ({
    title: name,
    note: 'Type',
    path: `/docs/types/${name}`,
    searchText: `${name} ${description.slice(0, 300)}`.toLowerCase(),
  }));
}
