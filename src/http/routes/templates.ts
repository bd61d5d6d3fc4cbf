// Routes of templates and published workflows, which are public.
import type { RunDeps } from '../../runs/deps.ts';
import { priceTemplate } from '../../runs/estimate/price-template.ts';
import { getPublished } from '../../services/workflows/read-workflow.ts';
import { listTemplatePage } from '../../services/workflows/templates.ts';
import { SlugParams, TemplatesQuery } from '../../services/workflows/workflow.schema.ts';
import { TemplatePage, Workflow } from '../../services/workflows/workflow-response.schema.ts';
import type { App } from '../app.ts';
import { sendCached } from '../conditional.ts';
import { operationsOf } from '../route.ts';

const operation = operationsOf('Templates');

export function registerTemplates(app: App, deps: RunDeps): void {
  app.get(
    '/api/v1/templates',
    operation('listTemplates', 'anyone', {
      summary: 'List templates',
      description:
        'Returns the workflows that are published as templates, including your own. Requires no key.',
      querystring: TemplatesQuery,
      response: { 200: TemplatePage },
    }),
    req => listTemplatePage(deps, req.actor, req.query, row => priceTemplate(deps, row)),
  );
  app.get(
    '/api/v1/published/:slug',
    operation('getPublished', 'anyone', {
      summary: 'Read a published workflow',
      description:
        'Returns the published version of a workflow, without secrets. Later changes are not included. Requires no key.',
      errors: ['not_found'],
      isConditional: true,
      params: SlugParams,
      response: { 200: Workflow },
    }),
    async (req, reply) =>
      sendCached(req, reply, await getPublished(deps, req.params.slug), 'public, no-cache'),
  );
}
