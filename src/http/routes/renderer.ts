// The video renderer over HTTP: its contracts, its templates, and preview stills.

import type { Deps } from '../../services/deps.ts';
import { previewRender } from '../../services/preview-render.ts';
import {
  ContractAnswer,
  ContractQuery,
  PreviewAnswer,
  PreviewBody,
  TemplateAnswer,
  TemplateListAnswer,
  TemplateParams,
} from '../../services/renderer.schema.ts';
import {
  getTemplate,
  listTemplates,
  sceneGraphContract,
  templateThumbnail,
} from '../../services/renderer-contracts.ts';
import { Plain } from '../../services/workflow.schema.ts';
import type { App } from '../app.ts';
import { sendCached } from '../conditional.ts';

const tags = ['Video renderer'];
const PRIVATE = 'private, no-cache';

export function registerRenderer(app: App, deps: Deps): void {
  app.get(
    '/api/v1/renderer/scene-graph',
    {
      schema: {
        tags,
        summary: 'Read the scene-graph contract',
        querystring: ContractQuery,
        response: { 200: ContractAnswer },
      },
    },
    (req, reply) => sendCached(req, reply, sceneGraphContract(req.actor, req.query.include), PRIVATE),
  );
  app.get(
    '/api/v1/renderer/templates',
    { schema: { tags, summary: 'List the video templates', response: { 200: TemplateListAnswer } } },
    async (req, reply) => sendCached(req, reply, await listTemplates(deps, req.actor), PRIVATE),
  );
  app.get(
    '/api/v1/renderer/templates/:id',
    {
      schema: {
        tags,
        summary: 'Read a video template',
        params: TemplateParams,
        response: { 200: TemplateAnswer },
      },
    },
    (req, reply) => sendCached(req, reply, getTemplate(deps, req.actor, req.params.id), PRIVATE),
  );
  app.get(
    '/api/v1/renderer/templates/:id/thumbnail',
    {
      schema: {
        tags,
        summary: "See a video template's thumbnail (WebP)",
        params: TemplateParams,
        security: [],
        response: { 200: Plain('image/webp') },
      },
    },
    async (req, reply) =>
      reply
        .header('content-type', 'image/webp')
        .header('cache-control', 'public, max-age=86400')
        .send(Buffer.from(await templateThumbnail(req.params.id, reply.closeSignal()))),
  );
  app.post(
    '/api/v1/render/renderer/preview',
    {
      schema: {
        tags,
        summary: 'Draw stills of a video',
        body: PreviewBody,
        response: { 200: PreviewAnswer },
      },
    },
    (req, reply) => previewRender(deps, req.actor, req.body, reply.closeSignal()),
  );
}
