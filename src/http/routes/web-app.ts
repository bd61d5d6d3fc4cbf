// Serves the pages of the web application and the files they load.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { hasSession } from '../../services/accounts/actor.ts';
import { chooseCoding } from '../compression/content-coding.ts';
import type { HttpDeps, Server } from '../deps.ts';
import { sendErrorPage } from '../pages/page-responses.ts';
import { ASSETS_PATH, createWebAppPages } from '../pages/web-app-pages.ts';

interface WebAppPage {
  /** The folder in `editor/pages`. */
  readonly name: string;
  /** Everyone else is redirected: visitors to the sign-in page, users to the path in `next`. */
  readonly audience: 'users' | 'visitors' | 'all';
}

const PAGES: Readonly<Record<string, WebAppPage>> = {
  '/approvals': { name: 'approvals', audience: 'users' },
  '/approvals/:id': { name: 'approvals', audience: 'users' },
  '/approve': { name: 'approve', audience: 'all' },
  '/setup': { name: 'setup', audience: 'all' },
  '/sign-in': { name: 'sign-in', audience: 'visitors' },
  '/confirm': { name: 'confirm', audience: 'users' },
  '/workflows': { name: 'workflows', audience: 'users' },
  '/templates': { name: 'templates', audience: 'users' },
  '/executions': { name: 'runs', audience: 'users' },
  '/executions/:id': { name: 'run', audience: 'users' },
  '/batches': { name: 'batches', audience: 'users' },
  '/batches/:id': { name: 'batch', audience: 'users' },
  '/apps': { name: 'apps', audience: 'users' },
  '/automations': { name: 'automations', audience: 'users' },
  '/media': { name: 'media', audience: 'users' },
  '/settings': { name: 'settings', audience: 'users' },
  '/settings/:part': { name: 'settings', audience: 'users' },
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  woff2: 'font/woff2',
};
const FILE = /^[\w.-]{1,200}\.(?<ending>js|css|svg|woff2)$/;
const CODING_EXTENSIONS = { br: '.br', gzip: '.gz' } as const;

export function registerWebApp(server: Server, deps: HttpDeps): void {
  const pages = createWebAppPages(deps);
  for (const [path, page] of Object.entries(PAGES)) {
    const config = {
      access: page.audience === 'all' ? 'public' : 'anyone',
      limit: 'none',
      // The application leads to the settings of second factors.
      withoutSecondFactor: true,
    } as const;
    server.get(path, { config, errorHandler: sendErrorPage, schema: { hide: true } }, async (req, reply) => {
      const isUser = hasSession(req.actor);
      reply.headers({ vary: 'Cookie', 'cache-control': 'no-store' });
      if (page.audience === 'users' && !isUser)
        return reply.redirect(`/sign-in?next=${encodeURIComponent(req.url)}`);
      if (page.audience === 'visitors' && isUser) return reply.redirect(readNextPath(req.url));
      return pages.send(req, reply, page.name);
    });
  }

  registerBundleFiles(server, deps);
}

function registerBundleFiles(server: Server, deps: HttpDeps): void {
  server.get(
    `${ASSETS_PATH}/:name`,
    {
      config: { access: 'public', limit: 'none' },
      schema: { params: Type.Object({ name: Type.String() }), hide: true },
    },
    async (req, reply) => {
      const { name } = req.params;
      const type = CONTENT_TYPES[FILE.exec(name)?.groups?.ending ?? ''];
      const files = deps.editor.state().bundle?.files;
      const uncompressed = files?.get(name);
      if (type === undefined || uncompressed === undefined)
        throw new AppError('not_found', 'File not found. Reload the page.');
      const coding = chooseCoding(req.headers['accept-encoding'] as string | undefined, ['br', 'gzip']);
      const compressed = coding && files?.get(name + CODING_EXTENSIONS[coding]);
      if (compressed !== undefined) reply.header('content-encoding', coding);
      return reply
        .headers({
          'content-type': type,
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          vary: 'Accept-Encoding',
        })
        .send(Buffer.from(compressed ?? uncompressed));
    },
  );
}

/** Returns the path in `next`, or `/workflows` if it is not a path of this service, so that no link redirects to another site. */
function readNextPath(url: string): string {
  const next = new URL(url, 'http://localhost').searchParams.get('next') ?? '';
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/workflows';
}
