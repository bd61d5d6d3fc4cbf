// Serves workflows to browsers: the editor, the published page, a read-only page with a drawing, and the preview image.
import { AppError } from '../../lib/errors.ts';
import type { Site } from '../../pages/site.ts';
import { drawPreview, getPublishedPath } from '../../pages/workflow-drawing.ts';
import { renderWorkflowPage } from '../../pages/workflow-page.ts';
import { createResultFinder } from '../../runs/read/shown-results.ts';
import { hasSession } from '../../services/accounts/actor.ts';
import { Plain } from '../../services/schema.ts';
import {
  findPublicPageWorkflow,
  type PageWorkflow,
  readPageWorkflow,
  readPublishedPageWorkflow,
} from '../../services/workflows/read-page-workflow.ts';
import { SLUG_PATTERN, SlugParams, WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import type { HttpDeps, Server } from '../deps.ts';
import {
  createPageCache,
  HTML,
  type PageResponse,
  SVG,
  sendErrorPage,
  sendPage,
  toPageResponse,
} from '../pages/page-responses.ts';
import { createWebAppPages } from '../pages/web-app-pages.ts';
import { createDescriber, RESOURCE_ERRORS } from '../route.ts';

const operation = createDescriber('Pages');
const params = WorkflowParams;
const SLUG = new RegExp(SLUG_PATTERN);

export function registerWorkflowPages(server: Server, deps: HttpDeps): void {
  const pages = createWebAppPages(deps);
  const site: Site = { baseUrl: deps.settings.BASE_URL, catalog: deps.catalog };
  const cache = createPageCache();
  const results = createResultFinder(deps);
  const renderPage = async (workflow: PageWorkflow): Promise<PageResponse> => {
    const shown = await results.find(workflow);
    return cache.get(`${workflow.key}.${workflow.visibility}.${shown?.key}`, async () => {
      const view = { ...workflow, graph: await workflow.readGraph(), images: shown?.images };
      return toPageResponse(renderWorkflowPage(view, site, workflow.visibility), HTML);
    });
  };
  server.get(
    '/p/:slug',
    {
      errorHandler: sendErrorPage,
      ...operation('showPublishedWorkflow', 'public', {
        summary: 'Open the page of a published workflow',
        description: 'Returns the published version of a workflow as HTML: its drawing, inputs and nodes.',
        errors: ['not_found'],
        isConditional: true,
        params: SlugParams,
        response: { 200: Plain('text/html') },
      }),
    },
    async (req, reply) => {
      const workflow = await readPublishedPageWorkflow(deps, req.params.slug);
      return sendPage(req, reply, await renderPage(workflow), 'public, no-cache');
    },
  );
  server.get(
    '/flow/:id',
    {
      errorHandler: sendErrorPage,
      ...operation('showWorkflow', 'anyone', {
        summary: 'Open a workflow: the editor for people who may edit it, a read-only page for others',
        description:
          'Returns a page with the graph of the workflow as HTML. Redirects to `/p/{slug}` if you can read the workflow only because it is published.',
        errors: ['unauthorized', ...RESOURCE_ERRORS],
        otherStatuses: [302],
        isConditional: true,
        params,
        response: { 200: Plain('text/html') },
      }),
    },
    async (req, reply) => {
      // Some links have the slug instead of the id. A slug never looks like an id.
      if (SLUG.test(req.params.id)) return reply.redirect(getPublishedPath(req.params.id));
      const workflow = await readPageWorkflow(deps, req.actor, req.params.id);
      reply.header('vary', 'Authorization, Cookie');
      if (workflow.canEdit && hasSession(req.actor) && pages.has('editor'))
        return pages.send(req, reply, 'editor');
      if (workflow.isPublicationOnly && workflow.slug !== null)
        return reply.header('cache-control', 'no-cache').redirect(getPublishedPath(workflow.slug));
      const cacheScope = req.actor.kind === 'anonymous' ? 'public' : 'private';
      return sendPage(req, reply, await renderPage(workflow), `${cacheScope}, no-cache`);
    },
  );
  server.get(
    '/flow/:id/preview.svg',
    operation('getWorkflowDrawing', 'public', {
      summary: 'Read the drawing of a public workflow',
      description: 'Returns a drawing of a public workflow as SVG.',
      errors: ['not_found'],
      isConditional: true,
      params,
      response: { 200: Plain('image/svg+xml') },
    }),
    async (req, reply) => {
      const workflow = await findPublicPageWorkflow(deps, req.params.id);
      const image =
        workflow &&
        (await cache.get(`preview:${workflow.key}`, async () => {
          const drawing = drawPreview({ ...workflow, graph: await workflow.readGraph() }, site);
          // That a graph cannot be drawn is cached too, because finding out takes long for a large graph.
          return toPageResponse(drawing ?? '', SVG);
        }));
      if (image === undefined || image.body.length === 0)
        throw new AppError('not_found', 'Drawing not found.');
      return sendPage(req, reply, image, 'public, no-cache');
    },
  );
}
