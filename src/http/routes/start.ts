// Serves the start page and the theme links.
import { Type } from 'typebox';
import { renderStartPage } from '../../pages/start-page.ts';
import { hasSession } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { Plain } from '../../services/schema.ts';
import type { Server } from '../deps.ts';
import { HTML, sendErrorPage, sendPage, toPageResponse } from '../pages/page-responses.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Pages');
const YEAR_SECONDS = 365 * 24 * 3600;
const ThemeParams = Type.Object({ theme: Type.Enum(['light', 'dark', 'system']) });

export function registerStart(server: Server, deps: Deps): void {
  registerThemes(server, deps);
  const page = toPageResponse(
    renderStartPage({ baseUrl: deps.settings.BASE_URL, catalog: deps.catalog }),
    HTML,
  );
  server.get(
    '/',
    {
      errorHandler: sendErrorPage,
      ...operation('showStart', 'anyone', {
        summary: 'Open the start page',
        description:
          'Returns the start page as HTML. Users who are signed in are redirected to their workflows.',
        otherStatuses: [304],
        limit: 'none',
        response: { 200: Plain('text/html'), 302: Plain('text/html') },
      }),
    },
    async (req, reply) => {
      if (hasSession(req.actor))
        return reply.headers({ vary: 'Cookie', 'cache-control': 'no-store' }).redirect('/workflows');
      return sendPage(req, reply, page, 'no-cache');
    },
  );
}

/** Registers the links that choose a theme. They set a cookie, because the pages run no scripts. */
function registerThemes(server: Server, { settings }: Deps): void {
  server.get(
    '/theme/:theme',
    {
      config: { access: 'public', limit: 'none' },
      errorHandler: sendErrorPage,
      schema: { params: ThemeParams, hide: true },
    },
    async ({ params: { theme }, headers }, reply) => {
      const cookieValue = theme === 'system' ? '; Max-Age=0' : `${theme}; Max-Age=${YEAR_SECONDS}`;
      return reply
        .headers({ 'set-cookie': `theme=${cookieValue}; Path=/; SameSite=Lax`, 'cache-control': 'no-store' })
        .redirect(getReturnPath(headers.referer, [settings.BASE_URL, `http://${headers.host}`]), 303);
    },
  );
}

/** Returns the path of the referring page if it has one of these origins, otherwise `/`. */
function getReturnPath(referer: string | undefined, origins: readonly string[]): string {
  const url = referer === undefined || !URL.canParse(referer) ? undefined : new URL(referer);
  return url !== undefined && origins.includes(url.origin)
    ? `/${url.pathname.replace(/^\/+/, '')}${url.search}`
    : '/';
}
