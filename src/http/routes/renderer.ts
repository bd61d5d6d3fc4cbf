// Routes of the video renderer: contracts, templates, and previews as stills and clips.

import type { Deps } from '../../services/deps.ts';
import { previewStills } from '../../services/renders/preview-stills.ts';
import {
  AcceptedRender,
  ContractQuery,
  ContractResponse,
  PreviewBody,
  PreviewResponse,
  RenderId,
  RenderResponse,
  TemplateListResponse,
  TemplateParams,
  TemplateResponse,
} from '../../services/renders/renderer.schema.ts';
import {
  getTemplate,
  listTemplates,
  readThumbnail,
  sceneGraphContract,
} from '../../services/renders/renderer-contracts.ts';
import { acceptRender, asksForClip, getRender, stopRender } from '../../services/renders/renders.ts';
import { Plain } from '../../services/schema.ts';
import type { App } from '../app.ts';
import { sendCached } from '../conditional.ts';
import { documented } from '../route.ts';

const about = documented('Video renderer');
const PRIVATE = 'private, no-cache';
/** Serves the pages of the application by session. The API paths require a key. */
const PAGES_ROOT = '/app/renderer';

export function registerRenderer(app: App, deps: Deps): void {
  registerContracts(app, deps, '/api/v1/renderer');
  registerContracts(app, deps, PAGES_ROOT);
  app.get(
    '/api/v1/renderer/templates/:id/thumbnail',
    about('Read the thumbnail of a video template', { 200: Plain('image/webp') }, { params: TemplateParams }),
    async (req, reply) => {
      const { bytes, visibility } = await readThumbnail(deps, req.actor, req.params.id, reply.closeSignal());
      return reply
        .header('content-type', 'image/webp')
        .header('cache-control', visibility === 'public' ? 'public, max-age=86400' : PRIVATE)
        .send(Buffer.from(bytes));
    },
  );
  app.post(
    '/api/v1/render/renderer/preview',
    about(
      'Preview a video as stills or as a clip',
      { 200: PreviewResponse, 202: AcceptedRender },
      { body: PreviewBody },
    ),
    async (req, reply) => {
      if (!asksForClip(req.body)) return previewStills(deps, req.actor, req.body, reply.closeSignal());
      const accepted = await acceptRender(deps, req.actor, req.body, reply.closeSignal());
      return reply.code(202).header('location', accepted.data.urls.self).send(accepted);
    },
  );
  app.get(
    '/api/v1/render/renderer/:id',
    about('Read the state of a clip', { 200: RenderResponse }, { params: RenderId }),
    (req, reply) => {
      reply.header('cache-control', 'no-store');
      return getRender(deps, req.actor, req.params.id);
    },
  );
  app.post(
    '/api/v1/render/renderer/:id/cancel',
    about('Cancel the render of a clip', { 200: RenderResponse }, { params: RenderId }),
    req => stopRender(deps, req.actor, req.params.id),
  );
}

function registerContracts(app: App, deps: Deps, root: string): void {
  // Only the pages of the application use it.
  const hide = root === PAGES_ROOT;
  app.get(
    `${root}/scene-graph`,
    about('Read the scene-graph contract', { 200: ContractResponse }, { hide, querystring: ContractQuery }),
    (req, reply) => sendCached(req, reply, sceneGraphContract(req.actor, req.query.include), PRIVATE),
  );
  app.get(
    `${root}/templates`,
    about('List video templates', { 200: TemplateListResponse }, { hide }),
    async (req, reply) => sendCached(req, reply, await listTemplates(deps, req.actor), PRIVATE),
  );
  app.get(
    `${root}/templates/:id`,
    about('Read a video template', { 200: TemplateResponse }, { hide, params: TemplateParams }),
    (req, reply) => sendCached(req, reply, getTemplate(deps, req.actor, req.params.id), PRIVATE),
  );
}
