// Registers the routes for templates and published workflows, which are public.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../lib/errors.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { listTemplatePage, readTemplate } from '../../runs/templates.ts';
import { Plain } from '../../services/schema.ts';
import { duplicateTemplate } from '../../services/templates/duplicate-template.ts';
import { CARD_PATH, getSamplePath } from '../../services/templates/template-files.ts';
import { readPublished } from '../../services/workflows/read-workflow.ts';
import {
  DuplicateBody,
  SlugParams,
  TemplateFileParams,
  TemplateParams,
  TemplatesQuery,
} from '../../services/workflows/workflow.schema.ts';
import { TemplateDetail, TemplatePage, Workflow } from '../../services/workflows/workflow-response.schema.ts';
import type { App } from '../app.ts';
import { sendCached } from '../conditional.ts';
import { createDescriber, RESOURCE_ERRORS } from '../route.ts';
import { sendCreated } from './workflows.ts';

const operation = createDescriber('Templates');

export function registerTemplates(app: App, deps: RunDeps): void {
  app.get(
    '/api/v1/templates',
    operation('listTemplates', 'anyone', {
      summary: 'List templates',
      description:
        'Returns templates: those shipped with the service by shelf, then workflows published as templates, including your own. Requires no key.',
      querystring: TemplatesQuery,
      response: { 200: TemplatePage },
    }),
    req => listTemplatePage(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/templates/:id',
    operation('getTemplate', 'anyone', {
      summary: 'Read a template',
      description:
        'Returns a template with its graph and, if it has a sample, the recorded results of its nodes. Requires no key.',
      errors: ['not_found'],
      params: TemplateParams,
      response: { 200: TemplateDetail },
    }),
    req => readTemplate(deps, req.actor, req.params.id),
  );
  app.get(
    '/api/v1/templates/:id/sample/:file',
    operation('getTemplateFile', 'public', {
      summary: 'Read a file of a template',
      description: 'Returns a recorded result or the card of a shipped template. Requires no key.',
      errors: ['not_found'],
      params: TemplateFileParams,
      response: { 200: Plain('image/webp', 'video/mp4', 'audio/mpeg') },
      isStreamed: true,
    }),
    (req, reply) => {
      const file = getTemplateFile(deps, req.params);
      return reply
        .header('content-type', file.contentType)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(createReadStream(file.path));
    },
  );
  app.post(
    '/api/v1/templates/:id/duplicate',
    operation('duplicateTemplate', 'workflows:write', {
      summary: 'Copy a template to a new workflow',
      description:
        'Copies a template to a new personal workflow. If the template has a sample, the copy has an execution with the trigger `sample` and the recorded results. Run it with `useSample: true` if a provider is missing.',
      errors: [
        ...RESOURCE_ERRORS,
        'folder_workspace_mismatch',
        'storage_quota_exceeded',
        'component_forbidden',
      ],
      params: TemplateParams,
      body: DuplicateBody,
      response: { 201: Workflow },
    }),
    async (req, reply) => {
      const options = { body: req.body, signal: reply.closeSignal() };
      return sendCreated(deps, reply, await duplicateTemplate(deps, req.actor, req.params.id, options));
    },
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
      sendCached(req, reply, await readPublished(deps, req.params.slug), 'public, no-cache'),
  );
}

/** Returns a file that the template lists. Throws 404. */
function getTemplateFile(
  { shippedTemplates }: RunDeps,
  { id, file: name }: { readonly id: string; readonly file: string },
): { readonly path: string; readonly contentType: string } {
  const template = shippedTemplates.find(id);
  const path = name === CARD_PATH ? name : getSamplePath(name);
  const file = template?.files.get(path);
  if (template === undefined || file === undefined) throw new AppError('not_found', 'File not found.');
  return { path: join(template.folder, path), contentType: file.contentType };
}
