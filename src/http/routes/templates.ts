// Registers the routes for templates and published workflows, which are public.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { RunDeps } from '../../runs/deps.ts';
import { duplicateTemplate } from '../../runs/templates/duplicate-template.ts';
import { openTemplateFile } from '../../runs/templates/open-template-file.ts';
import { listTemplatePage, readTemplate } from '../../runs/templates/read-templates.ts';
import {
  TemplateDetail,
  TemplateFileParams,
  TemplatePage,
  TemplateParams,
  TemplatesQuery,
} from '../../runs/templates/template.schema.ts';
import { Plain } from '../../services/schema.ts';
import { readPublished } from '../../services/workflows/read-workflow.ts';
import { DuplicateBody, SlugParams } from '../../services/workflows/workflow.schema.ts';
import { Workflow } from '../../services/workflows/workflow-response.schema.ts';
import { sendCached } from '../conditional.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS } from '../route.ts';
import { sendMedia } from '../send-media.ts';
import { sendCreated } from './workflows.ts';

const operation = createDescriber('Templates');

export function registerTemplates(server: Server, deps: RunDeps): void {
  server.get(
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
  server.get(
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
  const sendFile = async (
    req: FastifyRequest<{ Params: Static<typeof TemplateFileParams> }>,
    reply: FastifyReply,
  ) => sendMedia(reply, await openTemplateFile(deps, req.params, req));
  const filePath = '/api/v1/templates/:id/sample/:file';
  // A page of templates has a card for each, and players request parts of a file, so the rate limits do not apply.
  server.get(
    filePath,
    {
      ...operation('getTemplateFile', 'public', {
        summary: 'Read a file of a template',
        description:
          'Returns a recorded result or the card of a shipped template, cacheable for a year. Supports `Range`. Requires no key.',
        errors: ['not_found', 'range_not_satisfiable'],
        otherStatuses: [206],
        isConditional: true,
        requestHeaders: ['Range'],
        params: TemplateFileParams,
        limit: 'none',
        response: { 200: Plain('image/webp', 'video/mp4', 'audio/mpeg') },
        isStreamed: true,
      }),
      exposeHeadRoute: false,
    },
    sendFile,
  );
  // Fastify's own HEAD route would send a Content-Length of 0.
  server.head(
    filePath,
    {
      schema: { params: TemplateFileParams, hide: true },
      config: { access: 'public', limit: 'none', isStreamed: true },
    },
    sendFile,
  );
  server.post(
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
  server.get(
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
