// Serves /docs: the API reference, generated from the OpenAPI document and the guides in docs/.

import { AppError } from '../../lib/errors.ts';
import { REFERENCE_SCRIPT, REFERENCE_STYLE } from '../../pages/reference/assets.ts';
import type { ApiDocument as OpenApiDocument } from '../../pages/reference/document.ts';
import { createReference, type Reference } from '../../pages/reference/pages.ts';
import { createPolicy } from '../../pages/security-policy.ts';
import type { Server } from '../deps.ts';
import { splitUrl } from '../split-url.ts';
import {
  HTML,
  type PageResponse,
  registerAssets,
  sendErrorPage,
  sendPage,
  toPageResponse,
} from './page-responses.ts';

const REVALIDATE = 'public, no-cache';
const SEARCH_PATH = '/docs/search.json';

// Everything is loaded from this service, and the forms send requests only to this service.
const POLICY = createPolicy({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
});

/** Loads the guides, and with them the markdown libraries, on the first request. */
async function readReference(baseUrl: string, getDocument: () => OpenApiDocument): Promise<Reference> {
  const { readGuides } = await import('../../pages/reference/guides.ts');
  return createReference(getDocument(), await readGuides(), baseUrl);
}

/** Registers the API reference. `getDocument` is called on the first request, when every route is registered. */
export function registerReference(server: Server, baseUrl: string, getDocument: () => OpenApiDocument): void {
  let loading: Promise<Reference> | undefined;
  const getReference = (): Promise<Reference> => {
    loading ??= readReference(baseUrl, getDocument).catch((err: unknown) => {
      // The next request tries again.
      loading = undefined;
      throw err;
    });
    return loading;
  };
  const pages = new Map<string, PageResponse>();
  const getPage = async (path: string): Promise<PageResponse> => {
    const cached = pages.get(path);
    if (cached !== undefined) return cached;
    const text = (await getReference()).render(path);
    if (text === undefined) throw new AppError('not_found', `Page ${path} not found in the API reference.`);
    const page = { ...toPageResponse(text, HTML), policy: POLICY };
    // The map is bounded, because only existing pages get here.
    pages.set(path, page);
    return page;
  };
  const route = {
    config: { access: 'public', limit: 'none' },
    errorHandler: sendErrorPage,
    schema: { hide: true },
  } as const;
  for (const path of ['/docs', '/docs/*'])
    server.get(path, route, async (req, reply) =>
      sendPage(req, reply, await getPage(getPath(req.url)), REVALIDATE),
    );
  registerAssets(server, [REFERENCE_STYLE, REFERENCE_SCRIPT]);
  server.get(SEARCH_PATH, route, async (req, reply) => {
    const index = pages.get(SEARCH_PATH) ?? toJsonResponse((await getReference()).searchIndex);
    pages.set(SEARCH_PATH, index);
    return sendPage(req, reply, index, REVALIDATE);
  });
}

const toJsonResponse = (value: object): PageResponse =>
  toPageResponse(JSON.stringify(value), 'application/json; charset=utf-8');

/** Returns the path without the query and without a trailing slash. */
function getPath(url: string): string {
  return splitUrl(url).path.replace(/\/+$/, '');
}
