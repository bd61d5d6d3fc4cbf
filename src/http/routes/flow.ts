// Serves workflows to browsers: the editor, a read-only page with a drawing, and the preview image.
import { AppError } from '../../lib/errors.ts';
import { drawPreview } from '../../pages/flow-drawing.ts';
import { renderFlowPage } from '../../pages/flow-page.ts';
import type { Site } from '../../pages/site.ts';
import { hasSession } from '../../services/accounts/actor.ts';
import { Plain } from '../../services/schema.ts';
import { findPublicFlow, readFlow } from '../../services/workflows/read-flow.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App, HttpDeps } from '../app.ts';
import { createAppPages } from '../pages/app-pages.ts';
import {
  createPageCache,
  HTML,
  SVG,
  sendErrorPage,
  sendPage,
  toPageResponse,
} from '../pages/page-answers.ts';
import { operationsOf, RESOURCE_ERRORS } from '../route.ts';

const operation = operationsOf('Pages');
const params = WorkflowId;

export function registerFlow(app: App, deps: HttpDeps): void {
  const pages = createAppPages(deps);
  const site: Site = { baseUrl: deps.settings.BASE_URL, catalog: deps.catalog };
  const cache = createPageCache();
  app.get(
    '/flow/:id',
    {
      errorHandler: sendErrorPage,
      ...operation('showWorkflow', 'anyone', {
        summary: 'Open a workflow: the editor for people who may edit it, a read-only page for others',
        description: 'Returns the graph of a workflow that the caller may read, as HTML.',
        errors: ['unauthorized', ...RESOURCE_ERRORS],
        isConditional: true,
        params,
        response: { 200: Plain('text/html') },
      }),
    },
    async (req, reply) => {
      const flow = await readFlow(deps, req.actor, req.params.id);
      if (flow.canEdit && hasSession(req.actor) && pages.has('flow')) return pages.send(req, reply, 'flow');
      const results = await flow.results();
      const page = await cache.get(`${flow.key}.${flow.visibility}.${results?.executionId}`, async () => {
        const view = { ...flow, graph: await flow.graph(), images: results?.images };
        return toPageResponse(renderFlowPage(view, site, flow.visibility), HTML);
      });
      const shared = req.actor.kind === 'anonymous' ? 'public' : 'private';
      return sendPage(req, reply.header('vary', 'Authorization, Cookie'), page, `${shared}, no-cache`);
    },
  );
  app.get(
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
      const flow = await findPublicFlow(deps, req.params.id);
      const image =
        flow &&
        (await cache.get(`preview:${flow.key}`, async () => {
          const drawing = drawPreview({ ...flow, graph: await flow.graph() }, site);
          if (drawing === undefined) throw notDrawn();
          return toPageResponse(drawing, SVG);
        }));
      if (image === undefined) throw notDrawn();
      return sendPage(req, reply, image, 'public, no-cache');
    },
  );
}

function notDrawn(): AppError {
  return new AppError('not_found', 'Drawing not found.');
}
