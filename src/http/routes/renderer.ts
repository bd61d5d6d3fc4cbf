// Registers the routes for the video renderer: contracts, templates, and previews as stills and clips.
import type { Deps } from '../../services/deps.ts';
import { previewStills } from '../../services/renders/preview-stills.ts';
import {
  AcceptedRender,
  ContractQuery,
  ContractResponse,
  PreviewBody,
  PreviewResponse,
  RenderParams,
  RenderResponse,
  TemplateListResponse,
  TemplateResponse,
  VideoTemplateParams,
} from '../../services/renders/renderer.schema.ts';
import {
  getSceneGraphContract,
  getTemplate,
  listRenderTemplates,
  readThumbnail,
} from '../../services/renders/renderer-contracts.ts';
import { acceptRender, isClipRequest, readRender, stopRender } from '../../services/renders/renders.ts';
import { Plain } from '../../services/schema.ts';
import { sendCached } from '../conditional.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS } from '../route.ts';

const operation = createDescriber('Video renderer');
const PRIVATE = 'private, no-cache';
/** The same routes for the pages of the application, with a session. The API's routes require a key. */
const PAGES_ROOT = '/app/renderer';

export function registerRenderer(server: Server, deps: Deps): void {
  registerContracts(server, deps, '/api/v1/renderer');
  registerContracts(server, deps, PAGES_ROOT);
  server.get(
    '/api/v1/renderer/templates/:id/thumbnail',
    operation('getVideoTemplateThumbnail', 'anyone', {
      summary: 'Read the thumbnail of a video template',
      description: 'Returns a still of the composition as WebP.',
      errors: ['unauthorized', ...RESOURCE_ERRORS],
      params: VideoTemplateParams,
      response: { 200: Plain('image/webp') },
    }),
    async (req, reply) => {
      const { bytes, visibility } = await readThumbnail(deps, req.actor, req.params.id);
      return reply
        .header('content-type', 'image/webp')
        .header('cache-control', visibility === 'public' ? 'public, max-age=86400' : PRIVATE)
        .send(Buffer.from(bytes));
    },
  );
  server.post(
    '/api/v1/render/renderer/preview',
    operation('previewRender', 'workflows:execute', {
      summary: 'Preview a video as stills or as a clip',
      description:
        'Renders a preview. Stills are returned in the response. `format: "mp4"` starts a clip and returns 202. Previews are free.',
      errors: [
        ...RESOURCE_ERRORS,
        'invalid_scene_graph',
        'storage_quota_exceeded',
        'render_busy',
        'codec_failed',
      ],
      body: PreviewBody,
      response: { 200: PreviewResponse, 202: AcceptedRender },
      links: {
        202: {
          render: {
            operationId: 'getRender',
            description: 'Read the state of the clip',
            parameters: { id: '$response.body#/data/renderId' },
          },
        },
      },
    }),
    async (req, reply) => {
      if (!isClipRequest(req.body)) return previewStills(deps, req.actor, req.body, reply.closeSignal());
      const accepted = await acceptRender(deps, req.actor, req.body, reply.closeSignal());
      return reply.code(202).header('location', accepted.data.urls.self).send(accepted);
    },
  );
  server.get(
    '/api/v1/render/renderer/:id',
    operation('getRender', 'workflows:read', {
      summary: 'Read the state of a clip',
      description: 'Returns the state of a clip, and its URL when it is completed.',
      params: RenderParams,
      response: { 200: RenderResponse },
      isUncacheable: true,
    }),
    req => readRender(deps, req.actor, req.params.id),
  );
  server.post(
    '/api/v1/render/renderer/:id/cancel',
    operation('cancelRender', 'workflows:execute', {
      summary: 'Cancel the render of a clip',
      description: 'Cancels a render. Has no effect on a render that has ended.',
      params: RenderParams,
      response: { 200: RenderResponse },
    }),
    req => stopRender(deps, req.actor, req.params.id),
  );
}

function registerContracts(server: Server, deps: Deps, root: string): void {
  const hide = root === PAGES_ROOT;
  const access = hide ? 'session' : 'key with workflows:read';
  server.get(
    `${root}/scene-graph`,
    operation('getSceneGraphContract', access, {
      summary: 'Read the scene-graph contract',
      description:
        'Returns a guide to authoring videos, and the JSON Schema that scene graphs are validated against at run time.',
      isConditional: true,
      hide,
      querystring: ContractQuery,
      response: { 200: ContractResponse },
    }),
    (req, reply) => sendCached(req, reply, getSceneGraphContract(req.actor, req.query), PRIVATE),
  );
  server.get(
    `${root}/templates`,
    operation('listVideoTemplates', access, {
      summary: 'List video templates',
      description: 'Returns the compositions that your account may use.',
      isConditional: true,
      hide,
      response: { 200: TemplateListResponse },
    }),
    async (req, reply) => sendCached(req, reply, await listRenderTemplates(deps, req.actor), PRIVATE),
  );
  server.get(
    `${root}/templates/:id`,
    operation('getVideoTemplate', access, {
      summary: 'Read a video template',
      description: 'Returns a composition with the slots of its default props.',
      errors: ['not_found'],
      isConditional: true,
      hide,
      params: VideoTemplateParams,
      response: { 200: TemplateResponse },
    }),
    (req, reply) => sendCached(req, reply, getTemplate(deps, req.actor, req.params.id), PRIVATE),
  );
}
