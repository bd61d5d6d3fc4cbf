// Pages of the web application as answers: which of its files a page loads, under which policy.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bundle, PageFiles } from '../../bundle/bundle-editor.ts';
import { AppError } from '../../lib/errors.ts';
import {
  type AppPage,
  renderAppPage,
  renderPreparingPage,
  renderUnpreparedPage,
} from '../../pages/app-page.ts';
import type { HttpDeps } from '../deps.ts';
import { HTML, sendErrorPage } from './page-answers.ts';

export const ASSETS = '/assets';

export interface AppPages {
  /** Whether the application has that page; true while nobody knows yet. */
  has(page: string): boolean;
  /** Sends the page of that folder below `editor/pages`. Throws 404 where there is none. */
  send(req: FastifyRequest, reply: FastifyReply, page: string): FastifyReply;
}

export function createAppPages({ editor, mediaOrigins }: HttpDeps): AppPages {
  const headers = {
    'content-security-policy': policyFor(mediaOrigins),
    'content-type': HTML,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy':
      'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-read=(self), clipboard-write=(self)',
    'cross-origin-opener-policy': 'same-origin',
  };
  return {
    has: page => {
      const { bundle } = editor.state();
      return bundle === undefined || page in bundle.manifest.pages;
    },
    send(req, reply, page) {
      const state = editor.state();
      if (state.failed) return reply.code(503).headers(headers).send(renderUnpreparedPage());
      if (state.bundle === undefined) {
        void editor.start();
        return reply
          .code(503)
          .headers({ ...headers, 'retry-after': '1' })
          .send(renderPreparingPage());
      }
      const files = state.bundle.manifest.pages[page];
      if (files === undefined) {
        sendErrorPage(new AppError('not_found', 'There is no such page.'), req, reply);
        return reply;
      }
      return reply.headers(headers).send(renderAppPage(pageOf(state.bundle, files, req.headers.cookie)));
    },
  };
}

/** Scripts and styles of the service alone, none in the page itself; media from where they are kept too. */
function policyFor(mediaOrigins: readonly string[]): string {
  const media = ["'self'", ...mediaOrigins].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "worker-src 'self'",
    `img-src ${media} data: blob:`,
    `media-src ${media} data: blob:`,
    `connect-src ${media}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const THEME = /(?:^|;\s*)theme=(light|dark)(?:;|$)/;

function pageOf({ manifest }: Bundle, files: PageFiles, cookie: string | undefined): AppPage {
  const theme = THEME.exec(cookie ?? '')?.[1] as AppPage['theme'];
  return {
    theme,
    entry: address(manifest.entry),
    scripts: files.scripts.map(address),
    styles: [...manifest.styles, ...files.styles].map(address),
    pageStyles: Object.fromEntries(
      Object.entries(manifest.pages).map(([name, { styles }]) => [name, styles.map(address)]),
    ),
  };
}

const address = (name: string): string => `${ASSETS}/${name}`;
