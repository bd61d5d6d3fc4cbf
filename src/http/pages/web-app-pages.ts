// Sends the pages of the web application: the files that each page loads, and their security policy.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import { createPolicy } from '../../pages/security-policy.ts';
import { renderFailedPage, renderPreparingPage, renderWebAppPage } from '../../pages/web-app-page.ts';
import { type Actor, hasSession } from '../../services/accounts/actor.ts';
import { readOwnSession } from '../../services/sessions/sessions.ts';
import type { HttpDeps } from '../deps.ts';
import { getTheme, HTML, sendErrorPage } from './page-responses.ts';

export const ASSETS_PATH = '/assets';

export interface WebAppPages {
  /** Returns whether the application has the page. Returns true until the bundle is ready. */
  has(page: string): boolean;
  /** Sends the page of a folder in `editor/pages`, or a 404 page. */
  send(req: FastifyRequest, reply: FastifyReply, page: string): Promise<FastifyReply>;
}

export function createWebAppPages(deps: HttpDeps): WebAppPages {
  const { editor, mediaOrigins } = deps;
  const headers = {
    'content-security-policy': createAppPolicy(mediaOrigins),
    'content-type': HTML,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy':
      'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-read=(self), clipboard-write=(self)',
  };
  const isHttps = new URL(deps.settings.BASE_URL).protocol === 'https:';
  // On other addresses, browsers ignore the header and warn in the console.
  const openerPolicy = (req: FastifyRequest): Readonly<Record<string, string>> =>
    isHttps || isLoopbackHost(req.hostname) ? { 'cross-origin-opener-policy': 'same-origin' } : {};
  return {
    has: page => {
      const { bundle } = editor.state();
      return bundle === undefined || page in bundle.manifest.scripts;
    },
    async send(req, reply, page) {
      const state = editor.state();
      if (state.hasFailed) return reply.code(503).headers(headers).send(renderFailedPage());
      if (state.bundle === undefined) {
        void editor.start();
        return reply.headers({ ...headers, ...openerPolicy(req) }).send(renderPreparingPage());
      }
      const { entry, styles, scripts } = state.bundle.manifest;
      const pageScripts = scripts[page];
      if (pageScripts === undefined) {
        sendErrorPage(new AppError('not_found', 'Page not found.'), req, reply);
        return reply;
      }
      const html = renderWebAppPage({
        theme: getTheme(req.headers.cookie),
        entry: toAssetPath(entry),
        scripts: pageScripts.map(toAssetPath),
        styles: toAssetPath(styles),
        session: await findSession(deps, req.actor),
      });
      return reply.headers({ ...headers, ...openerPolicy(req) }).send(html);
    },
  };
}

/** Returns the session, which every page needs first. If reading it fails, the page requests it and shows the error. */
async function findSession(deps: HttpDeps, actor: Actor): Promise<unknown> {
  return hasSession(actor) ? readOwnSession(deps, actor).catch(() => undefined) : undefined;
}

/** Allows only scripts and styles of the service, none inline, and media from the storage origins. */
function createAppPolicy(mediaOrigins: readonly string[]): string {
  const media = ["'self'", ...mediaOrigins].join(' ');
  return createPolicy({
    'script-src': "'self'",
    'style-src': "'self'",
    'font-src': "'self'",
    'worker-src': "'self'",
    'img-src': `${media} data: blob:`,
    'media-src': `${media} data: blob:`,
    'connect-src': media,
    'form-action': "'self'",
  });
}

const toAssetPath = (name: string): string => `${ASSETS_PATH}/${name}`;
