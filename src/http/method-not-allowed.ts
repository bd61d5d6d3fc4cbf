// Rejects unknown paths with 404, and unknown methods of known paths with 405.

import type { FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { AppError } from '../lib/errors.ts';
import type { Server } from './deps.ts';
import { splitUrl } from './split-url.ts';

/** The options of Fastify's router, and of this file's router, which ignores methods. */
export const ROUTER_OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 1000 } as const;

/**
 * Answers 405 for paths that exist with other methods. Must be called after `registerAdmission`, which also counts
 * these requests, and before the routes, which it records.
 */
export function registerMethodNotAllowed(server: Server): void {
  const router = findMyWay(ROUTER_OPTIONS);
  const methodsByPath = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    if (!methodsByPath.has(url)) router.on('GET', url, throwIfCalled, methods);
    methodsByPath.set(url, methods);
  });
  const createRejection = ({ method, url }: FastifyRequest): AppError => {
    const path = splitUrl(url).path;
    const route = router.find('GET', path);
    if (route === null || route.store === null)
      return new AppError('not_found', `Route ${method} ${path} not found.${suggestVersion(path)}`);
    const allow = [...(route.store as Set<string>)].sort().join(', ');
    return new AppError('method_not_allowed', `The method ${method} is not allowed. Use one of ${allow}.`, {
      headers: { allow },
    });
  };
  /** Suggests the path with the API version if a route has that path. */
  const suggestVersion = (path: string): string => {
    const versioned = path.replace(/^(?:\/api)?\/(?:v1\/)?/, '/api/v1/');
    return versioned !== path && router.find('GET', versioned) !== null ? ` Did you mean ${versioned}?` : '';
  };
  // The hook rejects before the body is read.
  server.addHook('onRequest', (req, _reply, done) => done(req.is404 ? createRejection(req) : undefined));
  server.setNotFoundHandler(req => {
    throw createRejection(req);
  });
}

function throwIfCalled(): void {
  throw new Error('This router only finds paths.');
}
