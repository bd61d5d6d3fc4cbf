// Registers the routes for apps: their settings, for the owners of workflows, and their public API.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  AcceptedAppRun,
  AppBody,
  AppChallenge,
  AppEstimate,
  AppPage,
  AppResultPage,
  AppRun,
  AppRunEvents,
  AppRunParams,
  AppSettingsSchema,
  AppUpload,
  AppView,
  EmbedKey,
  EstimateAppBody,
  GalleryBody,
  ListApps,
  RunAppBody,
  SlugParams,
} from '../../apps/app.schema.ts';
import { readAppView, readChallenge } from '../../apps/app-view.ts';
import { createEmbedKey, listAppPage, readApp, removeApp, writeApp } from '../../apps/settings.ts';
import { estimateAppRun, runApp } from '../../apps/start-app-run.ts';
import { MAX_APP_UPLOAD_BYTES, uploadToApp } from '../../apps/uploads.ts';
import type { VisitorRequest } from '../../apps/visitor.ts';
import {
  cancelAppRun,
  changeAppRun,
  getRunPageUrl,
  listGallery,
  readAppRun,
  watchAppRun,
} from '../../apps/visitor-runs.ts';
import type { JsonObject } from '../../graph/types.ts';
import { toNetwork } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { Success } from '../../services/accounts/account.schema.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import { readVisitorCookie } from '../cookies.ts';
import type { Server } from '../deps.ts';
import { streamEvents } from '../event-stream.ts';
import { readForm, registerForms } from '../form.ts';
import { getClientAddress } from '../limits.ts';
import { createDescriber, FILE_ERRORS, RESOURCE_ERRORS, toSuccess } from '../route.ts';
import { getIdempotencyKey } from '../start-headers.ts';

const operation = createDescriber('Apps');

/** Error codes of routes that visitors may call. */
const VISITOR_ERRORS = ['app_moved', 'unauthorized', 'not_found'] as const;

/** Returns what identifies the visitor who sent a request. Pages pass the token in their URL. */
export function toVisitorRequest(req: FastifyRequest, token?: string): VisitorRequest {
  const header = req.headers['x-app-visitor'];
  return {
    actor: req.actor,
    network: toNetwork(getClientAddress(req)),
    cookie: readVisitorCookie(req.headers.cookie),
    token: typeof header === 'string' ? header : token,
    toAddress: slug => req.url.replace(/^(\/a|\/api\/v1\/apps)\/[^/?]+/, `$1/${slug}`),
  };
}

export function registerApps(server: Server, deps: RunDeps): void {
  registerPublicRoutes(server, deps);
  registerAppRuns(server, deps);
  void server.register(async scope => registerAppUploads(scope, deps));
  server.get(
    '/api/v1/workflows/:id/app',
    operation('getWorkflowApp', 'workflows:read', {
      summary: 'Read the app of a workflow',
      description:
        'Returns the settings of the app. If it is out of order, `issues` has the reasons. Requires ownership of the workflow.',
      params: WorkflowParams,
      response: { 200: AppSettingsSchema },
    }),
    req => readApp(deps, req.actor, req.params.id),
  );
  server.put(
    '/api/v1/workflows/:id/app',
    operation('setWorkflowApp', 'workflows:write', {
      summary: 'Create or replace the app of a workflow',
      description:
        'Saves an app: a form at `/a/{slug}` that runs the workflow for people who do not see its graph. Runs have your permissions. If a setting does not match the version of the workflow, returns 400 with a JSON pointer for each in `issues`. Requires ownership of the workflow.',
      errors: [...RESOURCE_ERRORS, 'slug_taken'],
      params: WorkflowParams,
      body: AppBody,
      response: { 200: AppSettingsSchema },
    }),
    req => writeApp(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/workflows/:id/app',
    operation('deleteWorkflowApp', 'workflows:write', {
      summary: 'Delete the app of a workflow',
      description:
        'Deletes the app. Links to its results stop working; its executions stay. Requires ownership of the workflow.',
      params: WorkflowParams,
      response: { 200: Success },
    }),
    req => toSuccess(removeApp(deps, req.actor, req.params.id)),
  );
  server.post(
    '/api/v1/workflows/:id/app/embed-key',
    operation('createAppEmbedKey', 'workflows:write', {
      summary: 'Create the embed key of an app',
      description:
        'Returns a key with which your server signs the tokens of visitors of pages that embed the app. The key is shown only once and replaces an earlier one.',
      reauthentication: 'always',
      params: WorkflowParams,
      response: { 200: EmbedKey },
    }),
    req => createEmbedKey(deps, req.actor, req.params.id),
  );
  server.get(
    '/api/v1/apps',
    operation('listApps', 'workflows:read', {
      summary: 'List apps',
      description:
        'Returns, newest first, the apps of workflows in your workspaces or shared with you, and apps that are open to everyone who is signed in. Editors also get the runs and credits of the last 30 days.',
      querystring: ListApps,
      response: { 200: AppPage },
    }),
    req => listAppPage(deps, req.actor, req.query),
  );
}

function registerPublicRoutes(server: Server, deps: RunDeps): void {
  server.get(
    '/api/v1/apps/:slug',
    operation('getApp', 'anyone', {
      summary: 'Read an app',
      description:
        'Returns the form of an app, its examples and your limits, but nothing of its workflow. Returns 404 if you may not use the app. On pages that embed the app, send the token that your server signed as `X-App-Visitor`.',
      errors: VISITOR_ERRORS,
      params: SlugParams,
      response: { 200: AppView },
      isUncacheable: true,
    }),
    req => readAppView(deps, req.params.slug, toVisitorRequest(req)),
  );
  server.get(
    '/api/v1/apps/:slug/challenge',
    operation('getAppChallenge', 'anyone', {
      summary: 'Read a challenge for a proof of work',
      description:
        'Returns an ALTCHA challenge that is valid for ten minutes. Anonymous visitors send its solution as `proof` with a run: the base64 of `{ algorithm, challenge, number, salt, signature }`.',
      errors: VISITOR_ERRORS,
      params: SlugParams,
      response: { 200: AppChallenge },
      isUncacheable: true,
    }),
    req => readChallenge(deps, req.params.slug, toVisitorRequest(req)),
  );
  server.get(
    '/api/v1/apps/:slug/gallery',
    operation('listAppGallery', 'anyone', {
      summary: 'List the gallery of an app',
      description:
        'Returns the results that the editors of the workflow picked, newest first. Long values are cut. If the results are very large, the last ones of a response have no outputs; `page` shows them.',
      errors: VISITOR_ERRORS,
      params: SlugParams,
      querystring: PageQuery,
      response: { 200: AppResultPage },
    }),
    req => listGallery(deps, req.params.slug, toVisitorRequest(req), req.query),
  );
  server.post(
    '/api/v1/apps/:slug/estimate',
    operation('estimateAppRun', 'anyone', {
      summary: 'Estimate a run that your workspace pays for',
      description:
        'Returns what a run would cost your active workspace. Only for apps with the payer `visitor`. Stores nothing.',
      errors: [...VISITOR_ERRORS, 'invalid_inputs', 'app_out_of_order'],
      params: SlugParams,
      body: EstimateAppBody,
      response: { 200: AppEstimate },
    }),
    req => estimateAppRun(deps, req.params.slug, toVisitorRequest(req), req.body.inputs as JsonObject),
  );
}

function registerAppRuns(server: Server, deps: RunDeps): void {
  server.post(
    '/api/v1/apps/:slug/run',
    operation('runApp', 'anyone', {
      summary: 'Run an app',
      description:
        'Starts a run of an app. Anonymous visitors send a proof of work. Treat the id of the run as a secret: anyone who has it and may use the app can read the results for 30 days, or 24 hours if the visitor was anonymous. With `Idempotency-Key`, the request can be repeated for 24 hours and starts only one run.',
      errors: [
        ...VISITOR_ERRORS,
        'invalid_inputs',
        'app_out_of_credits',
        'member_limit_exceeded',
        'key_limit_exceeded',
        'invalid_proof',
        'app_limit_reached',
        'app_out_of_order',
        'idempotency_in_progress',
        'idempotency_key_reused',
      ],
      params: SlugParams,
      body: RunAppBody,
      response: { 202: AcceptedAppRun },
      requestHeaders: ['Idempotency-Key'],
    }),
    async (req, reply) => {
      const { slug } = req.params;
      const { inputs, proof, maxCredits } = req.body;
      const input = {
        inputs: inputs as JsonObject,
        proof,
        maxCredits,
        idempotencyKey: getIdempotencyKey(req),
      };
      const { run, replayed } = await runApp(
        deps,
        slug,
        { request: toVisitorRequest(req), input },
        reply.closeSignal(),
      );
      if (replayed) reply.header('idempotent-replayed', 'true');
      const urls = createRunUrls(deps, slug, run.id);
      reply.code(202).header('location', urls.self);
      return { runId: run.id, urls };
    },
  );
  server.get(
    '/api/v1/apps/:slug/runs/:runId',
    operation('getAppRun', 'anyone', {
      summary: 'Read a run of an app',
      description:
        'Returns the status and the results of a run. An error tells the visitor what to do, without details of the workflow.',
      errors: VISITOR_ERRORS,
      params: AppRunParams,
      response: { 200: AppRun },
      isUncacheable: true,
    }),
    req => readAppRun(deps, req.params.slug, req.params.runId, toVisitorRequest(req)),
  );
  server.get(
    '/api/v1/apps/:slug/runs/:runId/events',
    operation('streamAppRun', 'anyone', {
      summary: 'Stream the events of a run of an app',
      description: 'Streams an event `run` with the run whenever it changes, until it ends.',
      errors: [...VISITOR_ERRORS, 'too_many_streams'],
      params: AppRunParams,
      response: { 200: AppRunEvents },
    }),
    (req, reply) => streamRun(deps, req, reply, req.params),
  );
  server.post(
    '/api/v1/apps/:slug/runs/:runId/cancel',
    operation('cancelAppRun', 'anyone', {
      summary: 'Cancel a run of an app',
      description: 'Cancels a run that you started. Has no effect on a run that has ended.',
      errors: [...VISITOR_ERRORS, 'forbidden'],
      params: AppRunParams,
      response: { 200: AppRun },
    }),
    req => cancelAppRun(deps, req.params.slug, req.params.runId, toVisitorRequest(req)),
  );
  server.patch(
    '/api/v1/apps/:slug/runs/:runId',
    operation('updateAppRun', 'workflows:write', {
      summary: 'Pick a run for the gallery of its app',
      description:
        'Adds a run to the gallery, or removes it. A run in the gallery does not expire. Requires permission to edit the workflow.',
      errors: ['app_moved', ...RESOURCE_ERRORS],
      params: AppRunParams,
      body: GalleryBody,
      response: { 200: AppRun },
    }),
    req => {
      const { slug, runId } = req.params;
      const { inGallery } = req.body;
      return changeAppRun(deps, runId, { slug, inGallery, request: toVisitorRequest(req) });
    },
  );
}

function createRunUrls(deps: RunDeps, slug: string, runId: string) {
  const self = `${deps.settings.BASE_URL}/api/v1/apps/${slug}/runs/${runId}`;
  return { self, events: `${self}/events`, cancel: `${self}/cancel`, page: getRunPageUrl(deps, slug, runId) };
}

function streamRun(
  deps: RunDeps,
  req: FastifyRequest,
  reply: FastifyReply,
  { slug, runId }: { readonly slug: string; readonly runId: string },
): Promise<void> {
  // An EventSource cannot send headers.
  const { visitor } = req.query as { readonly visitor?: unknown };
  const request = toVisitorRequest(req, typeof visitor === 'string' ? visitor : undefined);
  return streamEvents(deps, req, reply, {
    // The token is checked only at the start, because it may expire while the stream is open.
    checkAccess: async actor =>
      request.token === undefined ? readAppRun(deps, slug, runId, { ...request, actor }) : undefined,
    watch: signal => watchAppRun(deps, { slug, runId, request }, signal),
  });
}

const MAX_FORM_BYTES = MAX_APP_UPLOAD_BYTES + 65_536;

/** Registers the upload in a scope whose route reads the body itself. */
function registerAppUploads(scope: Server, deps: RunDeps): void {
  registerForms(scope);
  scope.post(
    '/api/v1/apps/:slug/media',
    {
      bodyLimit: MAX_FORM_BYTES,
      ...operation('uploadToApp', 'anyone', {
        summary: 'Upload a file for a run of an app',
        description:
          'Stores one file of at most 10 MB, as a form with `file`. Anonymous visitors send a proof of work as `proof` before the file. Send its `mediaId` as an input. It is deleted after 24 hours.',
        errors: [
          ...VISITOR_ERRORS,
          ...FILE_ERRORS,
          'invalid_proof',
          'invalid_svg',
          'svg_too_complex',
          'app_limit_reached',
          'app_out_of_order',
        ],
        params: SlugParams,
        consumes: ['multipart/form-data'],
        body: Type.Unknown({
          description: 'A form with `file`, and for anonymous visitors `proof` before it',
        }),
        response: { 200: AppUpload },
      }),
    },
    async (req, reply) => {
      const target = { slug: req.params.slug, request: toVisitorRequest(req) };
      let proof: string | undefined;
      // Awaited here, because leaving the loop ends the form.
      for await (const part of readForm(req, MAX_APP_UPLOAD_BYTES))
        if ('source' in part) return await uploadToApp(deps, { ...target, proof }, part, reply.closeSignal());
        else if (part.field === 'proof') proof = part.value;
      throw new AppError('invalid_request', 'The form has no file. Send it as a part named file.');
    },
  );
}
