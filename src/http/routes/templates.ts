// Routes of templates and published workflows, which are public.
import type { RunDeps } from '../../runs/deps.ts';
import { priceTemplate } from '../../runs/estimate/price-template.ts';
import { getPublished } from '../../services/workflows/read-workflow.ts';
import { listTemplatePage } from '../../services/workflows/templates.ts';
import { SlugParams, TemplatesQuery } from '../../services/workflows/workflow.schema.ts';
import { TemplatePage, Workflow } from '../../services/workflows/workflow-response.schema.ts';
import type { App } from '../app.ts';
import { sendCached } from '../conditional.ts';
import { documented } from '../route.ts';

const about = documented('Templates');

export function registerTemplates(app: App, deps: RunDeps): void {
  app.get(
    '/api/v1/templates',
    about('List templates', { 200: TemplatePage }, { querystring: TemplatesQuery }),
    req => listTemplatePage(deps, req.actor, req.query, row => priceTemplate(deps, row)),
  );
  app.get(
    '/api/v1/published/:slug',
    about('Read a published workflow', { 200: Workflow }, { params: SlugParams }),
    async (req, reply) =>
      sendCached(req, reply, await getPublished(deps, req.params.slug), 'public, no-cache'),
  );
}
