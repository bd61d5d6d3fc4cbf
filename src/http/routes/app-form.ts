// Serves the pages of apps: the form and the results of runs, usable without script.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppRunParams, SlugParams } from '../../apps/app.schema.ts';
import { type PageOptions, readAppPage, requireSeenPrice } from '../../apps/app-page.ts';
import { duplicateApp } from '../../apps/duplicate-app.ts';
import { createInputIssue, createInvalidInputsError, parseText } from '../../apps/fields.ts';
import { listEmbedOrigins, type OpenedApp, openApp } from '../../apps/open-app.ts';
import { runApp } from '../../apps/start-app-run.ts';
import { MAX_APP_UPLOAD_BYTES, uploadToApp } from '../../apps/uploads.ts';
import { isAnonymous, type VisitorRequest } from '../../apps/visitor.ts';
import { cancelAppRun, changeAppRun } from '../../apps/visitor-runs.ts';
import type { Json, JsonObject } from '../../graph/types.ts';
import { AppError, type Issue } from '../../lib/errors.ts';
import {
  APP_ASSETS,
  formatTime,
  renderAppFormPage,
  renderRefusedVisitorPage,
  toVisitorQuery,
} from '../../pages/app-form-page.ts';
import { createPolicy } from '../../pages/security-policy.ts';
import { DRAWING_STYLE_HASH, drawWorkflow } from '../../pages/workflow-drawing.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { createVisitorCookie, readVisitorCookie } from '../cookies.ts';
import type { Server } from '../deps.ts';
import { readForm, registerForms } from '../form.ts';
import { HTML, registerAssets, sendErrorPage, sendPage, toPageResponse } from '../pages/page-responses.ts';
import { toVisitorRequest } from './apps.ts';

const PageQuery = Type.Object({
  visitor: Type.Optional(Type.String({ maxLength: 2000 })),
  example: Type.Optional(Type.Integer({ minimum: 1, maximum: 6 })),
});
const GalleryQuery = Type.Object({ add: Type.Boolean() });

const MAX_FIELD_BYTES = 400_000;
/** Five files, or fewer and the other fields. */
const MAX_FORM_BYTES = 5 * MAX_APP_UPLOAD_BYTES;

export function registerAppForm(server: Server, deps: RunDeps): void {
  const options = createPageOptions(deps);
  registerAssets(server, APP_ASSETS);
  server.get(
    '/a/:slug',
    { ...options, schema: { hide: true, params: SlugParams, querystring: PageQuery } },
    async (req, reply) => {
      const { visitor, example } = req.query;
      return sendApp(deps, req, reply, { slug: req.params.slug, token: visitor, choice: { example } });
    },
  );
  server.get(
    '/a/:slug/runs/:runId',
    { ...options, schema: { hide: true, params: AppRunParams, querystring: PageQuery } },
    async (req, reply) => {
      const { slug, runId } = req.params;
      return sendApp(deps, req, reply, { slug, token: req.query.visitor, choice: { runId } });
    },
  );
  void server.register(async scope => registerFormPosts(scope, deps));
}

function createPageOptions(deps: RunDeps) {
  const sendError = async (
    thrown: unknown,
    req: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { slug = '' } = req.params as { readonly slug?: string };
    const { visitor } = req.query as { readonly visitor?: unknown };
    if (!(thrown instanceof AppError) || thrown.code !== 'unauthorized' || visitor === undefined) {
      sendErrorPage(thrown, req, reply);
      return reply;
    }
    const policy = createEmbedPolicy(await listEmbedOrigins(deps, slug));
    const page = toPageResponse(renderRefusedVisitorPage(slug, thrown.message), HTML);
    return sendPage(req, reply.code(thrown.status), { ...page, policy }, 'private, no-store');
  };
  return { errorHandler: sendError, config: { access: 'anyone' } } as const;
}

/** Registers the routes that browsers send forms to, in a scope whose routes read bodies themselves. */
function registerFormPosts(scope: Server, deps: RunDeps): void {
  const options = createPageOptions(deps);
  registerForms(scope);
  // Buttons send empty forms of this type. Whatever else is in the body is not read.
  scope.addContentTypeParser('application/x-www-form-urlencoded', (_req, _payload, done) => done(null));
  scope.post(
    '/a/:slug',
    {
      ...options,
      bodyLimit: MAX_FORM_BYTES,
      schema: { hide: true, params: SlugParams, querystring: PageQuery },
    },
    async (req, reply) => {
      const { slug } = req.params;
      const token = req.query.visitor;
      const request = toVisitorRequest(req, token);
      const opened = await openApp(deps, slug, request);
      const { values, maxCredits, issues } = await readFormValues(deps, { req, reply, opened, request });
      try {
        if (issues.length > 0) throw createInvalidInputsError(issues);
        await requireSeenPrice(deps, opened, request, { values, maxCredits });
        const input = { inputs: values, maxCredits };
        const { run } = await runApp(deps, slug, { request, input }, reply.closeSignal());
        return reply.redirect(`/a/${slug}/runs/${run.id}${toVisitorQuery(token)}`, 303);
      } catch (err) {
        if (!(err instanceof AppError) || err.code === 'not_found' || err.code === 'unauthorized') throw err;
        reply.code(err.status).headers(err.headers ?? {});
        return sendApp(deps, req, reply, { slug, token, choice: { refused: { values, error: err } } });
      }
    },
  );
  scope.post(
    '/a/:slug/runs/:runId/cancel',
    { ...options, schema: { hide: true, params: AppRunParams, querystring: PageQuery } },
    async (req, reply) => {
      const { slug, runId } = req.params;
      const token = req.query.visitor;
      await cancelAppRun(deps, slug, runId, toVisitorRequest(req, token));
      return reply.redirect(`/a/${slug}/runs/${runId}${toVisitorQuery(token)}`, 303);
    },
  );
  scope.post(
    '/a/:slug/runs/:runId/gallery',
    { ...options, schema: { hide: true, params: AppRunParams, querystring: GalleryQuery } },
    async (req, reply) => {
      const { slug, runId } = req.params;
      const inGallery = req.query.add;
      await changeAppRun(deps, runId, { slug, inGallery, request: toVisitorRequest(req) });
      return reply.redirect(`/a/${slug}/runs/${runId}`, 303);
    },
  );
  scope.post(
    '/a/:slug/duplicate',
    { ...options, schema: { hide: true, params: SlugParams } },
    async (req, reply) => {
      const id = await duplicateApp(deps, req.params.slug, toVisitorRequest(req), reply.closeSignal());
      return reply.redirect(`/flow/${id}`, 303);
    },
  );
}

interface SentForm {
  readonly req: FastifyRequest;
  readonly reply: FastifyReply;
  readonly opened: OpenedApp;
  readonly request: VisitorRequest;
}

/** Reads the form, and uploads its files to the app. */
async function readFormValues(
  deps: RunDeps,
  { req, reply, opened, request }: SentForm,
): Promise<{
  readonly values: JsonObject;
  readonly maxCredits: number | undefined;
  readonly issues: readonly Issue[];
}> {
  const { app, fields, visitor } = opened;
  const values: Record<string, Json> = {};
  const uploadedKeys = new Set<string>();
  const issues: Issue[] = [];
  let maxCredits: number | undefined;
  // Browsers do not send a checkbox that is off.
  for (const { key, control } of fields) if (control === 'switch') values[key] = false;
  for await (const part of readForm(req, MAX_FORM_BYTES, MAX_FIELD_BYTES)) {
    const field = fields.find(({ key }) => key === part.field);
    if ('source' in part) {
      // No file was chosen, or there is no proof of work for it. The run is refused without one too.
      if (part.name === '' || field === undefined || isAnonymous(visitor)) for await (const _ of part.source);
      else if (uploadedKeys.has(field.key)) {
        for await (const _ of part.source);
        issues.push(createInputIssue(field.key, `${field.label}: Choose only one file.`));
      } else {
        uploadedKeys.add(field.key);
        values[field.key] = await uploadToApp(deps, { slug: app.slug, request }, part, reply.closeSignal());
      }
    } else if (part.field === 'maxCredits' && /^\d{1,15}$/.test(part.value)) maxCredits = Number(part.value);
    else if (field !== undefined) {
      const value = parseText(field, part.value);
      if (value !== undefined) values[field.key] = value;
    }
  }
  return { values, maxCredits, issues };
}

interface AppPageRequest {
  readonly slug: string;
  readonly token: string | undefined;
  readonly choice: PageOptions;
}

async function sendApp(
  deps: RunDeps,
  req: FastifyRequest,
  reply: FastifyReply,
  { slug, token, choice }: AppPageRequest,
): Promise<FastifyReply> {
  const base = toVisitorRequest(req, token);
  const isNew = base.actor.kind === 'anonymous' && base.token === undefined && base.cookie === undefined;
  const cookie = isNew ? createVisitorCookie(deps.settings.BASE_URL) : undefined;
  const request = cookie === undefined ? base : { ...base, cookie: cookie.value };
  const page = await readAppPage(deps, slug, request, choice).catch((err: unknown) => {
    if (err instanceof AppError && err.code === 'app_moved') return err;
    throw err;
  });
  if (page instanceof AppError)
    return reply.headers(page.headers ?? {}).redirect(page.headers?.location ?? `/a/${slug}`, 301);
  if (cookie !== undefined && readVisitorCookie(req.headers.cookie) === undefined)
    reply.header('set-cookie', cookie.header);
  const { examples, history, gallery, visitorResults, graph, embedOrigins, ...shown } = page;
  const query = toVisitorQuery(page.token);
  const drawing = graph && drawWorkflow({ name: page.title, graph }, deps.catalog);
  const toPreview = ({ page: href, createdAt, items }: (typeof history)[number]) => ({
    href: href + query,
    title: `Result of ${formatTime(createdAt)}`,
    items,
  });
  const text = renderAppFormPage({
    ...shown,
    run: shown.run && { ...shown.run, error: shown.run.error?.message ?? null },
    examples: examples.map(({ inputs, items }, index) => ({
      href: `/a/${slug}?example=${index + 1}${query.replace('?', '&')}`,
      title: `Example ${index + 1}`,
      items,
      values: JSON.stringify(inputs),
    })),
    history: history.map(toPreview),
    gallery: gallery.map(toPreview),
    visitorResults: visitorResults.map(toPreview),
    drawing,
  });
  const response = { ...toPageResponse(text, HTML), policy: createEmbedPolicy(embedOrigins) };
  return sendPage(req, reply, response, 'private, no-store');
}

/** Allows the script of the page, its worker and its requests, and framing by the pages that the owner named. */
function createEmbedPolicy(embedOrigins: readonly string[]): string {
  return createPolicy({
    'script-src': "'self'",
    'worker-src': "'self'",
    'style-src': `'self' '${DRAWING_STYLE_HASH}'`,
    'font-src': "'self'",
    'img-src': "'self' https: http: blob:",
    'media-src': "'self' https: http: blob:",
    'connect-src': "'self'",
    'form-action': "'self'",
    'frame-ancestors': embedOrigins.length === 0 ? "'none'" : embedOrigins.join(' '),
  });
}
