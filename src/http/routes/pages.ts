// Serves the public pages: content pages, lists of each section, and files for search engines and feed readers.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { renderContentPage } from '../../pages/content-page.ts';
import { MAX_SITEMAP_PAGES, renderLlms, renderRobots, renderRss, renderSitemap } from '../../pages/feeds.ts';
import { renderListPage } from '../../pages/list-page.ts';
import { RELOAD_SCRIPT } from '../../pages/message-page.ts';
import { getPagePath, SECTIONS } from '../../pages/sections.ts';
import type { Site } from '../../pages/site.ts';
import { MARKDOWN } from '../../pages/stored-markdown.ts';
import { ICON, PALETTE_STYLESHEET, STYLESHEET } from '../../pages/stylesheet.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { createResultFinder } from '../../runs/read/shown-results.ts';
import {
  type ContentHead,
  createContentReader,
  getSiteRevision,
  listAllContent,
  listContentPage,
  listFeed,
} from '../../services/content/read-content.ts';
import type { Deps } from '../../services/deps.ts';
import { Plain } from '../../services/schema.ts';
import {
  findPublicPageWorkflow,
  getPublicationRevision,
  listPublishedPages,
} from '../../services/workflows/read-page-workflow.ts';
import type { Server } from '../deps.ts';
import {
  createPageCache,
  HTML,
  type PageResponse,
  registerAssets,
  sendErrorPage,
  sendPage,
  toPageResponse,
} from '../pages/page-responses.ts';
import { createDescriber } from '../route.ts';

const PageParams = Type.Object({ slug: Type.String() });
const ListQuery = Type.Object({ page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })) });

const operation = createDescriber('Pages');
const HTML_RESPONSE = { 200: Plain('text/html') } as const;
/** For each section, the operation id and description of its list and of its pages. */
const SECTION_OPERATIONS = {
  features: {
    list: ['showFeatures', 'Returns the list of tools, features and apps as HTML.'],
    page: ['showFeature', 'Returns the page of a tool, feature or app as HTML.'],
  },
  models: {
    list: ['showModels', 'Returns the list of models as HTML.'],
    page: ['showModel', 'Returns the page of a model as HTML.'],
  },
  articles: {
    list: ['showBlog', 'Returns the list of articles as HTML.'],
    page: ['showArticle', 'Returns an article as HTML.'],
  },
} as const;
const options = { limit: 'none', isConditional: true } as const;
const errorHandler = sendErrorPage;
/** Browsers revalidate each time, so that everybody sees a changed page immediately. */
const REVALIDATE = 'public, no-cache';

export function registerPages(server: Server, deps: RunDeps): void {
  const site: Site = { baseUrl: deps.settings.BASE_URL, catalog: deps.catalog };
  const cache = createPageCache();
  const reader = createContentReader(deps, MARKDOWN);
  const results = createResultFinder(deps);

  const getContentPage = async (head: ContentHead): Promise<PageResponse> => {
    const { id, siteRevision, workflowId } = head;
    const workflow = workflowId === null ? undefined : await findPublicPageWorkflow(deps, workflowId);
    const shown = workflow && (await results.find(workflow));
    return cache.get(`page:${id}@${siteRevision}:${workflow?.key ?? ''}:${shown?.key}`, async () => {
      const page = await reader.read(head);
      const view = workflow && { ...workflow, graph: await workflow.readGraph(), images: shown?.images };
      return toPageResponse(renderContentPage(page, view, site), HTML);
    });
  };

  for (const { category, path, title } of Object.values(SECTIONS)) {
    const operations = SECTION_OPERATIONS[category];
    server.get(
      `${path}/:slug`,
      {
        errorHandler,
        ...operation(operations.page[0], 'public', {
          ...options,
          summary: `Read a page of ${title}`,
          description: operations.page[1],
          errors: ['not_found'],
          otherStatuses: [301],
          params: PageParams,
          response: HTML_RESPONSE,
        }),
      },
      async (req, reply) => {
        const head = await reader.find(req.params.slug);
        if (!getPagePath(head).startsWith(`${path}/`)) {
          return reply.redirect(`${site.baseUrl}${getPagePath(head)}`, 301);
        }
        return sendPage(req, reply, await getContentPage(head), REVALIDATE);
      },
    );
    server.get(
      path,
      {
        errorHandler,
        ...operation(operations.list[0], 'public', {
          ...options,
          summary: `List ${title}, newest first`,
          description: operations.list[1],
          errors: ['not_found'],
          querystring: ListQuery,
          response: HTML_RESPONSE,
        }),
      },
      async (req, reply) => {
        const { page = 1 } = req.query;
        const key = `list:${category}:${page}@${await getSiteRevision(deps)}`;
        const list = await cache.get(key, async () =>
          toPageResponse(renderListPage(await listContentPage(deps, category, page), site), HTML),
        );
        return sendPage(req, reply, list, REVALIDATE);
      },
    );
  }
  registerFeeds(server, deps, (name, render) => async (req, reply) => {
    const page = await cache.get(`${name}@${await getSiteRevision(deps)}`, render);
    return sendPage(req, reply, page, REVALIDATE);
  });
  registerAssets(server, [STYLESHEET, PALETTE_STYLESHEET, RELOAD_SCRIPT, ICON]);
}

type RouteHandler = (req: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Registers the files for search engines, language models and feed readers. */
function registerFeeds(
  server: Server,
  deps: Deps,
  createCachedHandler: (name: string, render: () => Promise<PageResponse>) => RouteHandler,
): void {
  const { BASE_URL: baseUrl } = deps.settings;
  server.get(
    '/sitemap.xml',
    {
      errorHandler,
      ...operation('getSitemap', 'public', {
        ...options,
        summary: 'Read the sitemap',
        description: 'Returns the sitemap of all published pages and workflows, for search engines.',
        response: { 200: Plain('application/xml') },
      }),
    },
    async (req, reply) => {
      const revision = await getPublicationRevision(deps);
      const send = createCachedHandler(`sitemap:${revision}`, async () => {
        const pages = await listAllContent(deps, MAX_SITEMAP_PAGES);
        const workflows = await listPublishedPages(deps, MAX_SITEMAP_PAGES - pages.length);
        return toPageResponse(renderSitemap(pages, workflows, baseUrl), 'application/xml; charset=utf-8');
      });
      return send(req, reply);
    },
  );
  server.get(
    `${SECTIONS.articles.path}/rss.xml`,
    {
      errorHandler,
      ...operation('getFeed', 'public', {
        ...options,
        summary: 'Read the newest articles as RSS',
        description: 'Returns the newest articles as an RSS feed.',
        response: { 200: Plain('application/rss+xml') },
      }),
    },
    createCachedHandler('rss', async () =>
      toPageResponse(renderRss(await listFeed(deps), baseUrl), 'application/rss+xml; charset=utf-8'),
    ),
  );
  const files = { '/robots.txt': renderRobots(baseUrl), '/llms.txt': renderLlms(baseUrl) };
  for (const [path, text] of Object.entries(files)) {
    const file = toPageResponse(text, 'text/plain; charset=utf-8');
    server.get(
      path,
      { errorHandler, config: { access: 'public', limit: 'none' }, schema: { hide: true } },
      async (req, reply) => sendPage(req, reply, file, REVALIDATE),
    );
  }
}
