// Records the routes of each server in this process, with their declared access.
import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Access, Reauthentication } from '../../../src/http/access.ts';
import type { Server } from '../../../src/http/deps.ts';

export interface Route {
  /** Method and path, such as `GET /api/v1/keys/:id`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly access: Access;
  readonly reauthentication: Reauthentication | undefined;
}

const routesByServer = new WeakMap<object, RouteOptions[]>();

// Fastify announces each instance before its first route.
subscribe('fastify.initialization', message => {
  const { fastify } = message as { readonly fastify: FastifyInstance };
  const routes: RouteOptions[] = [];
  routesByServer.set(fastify, routes);
  fastify.addHook('onRoute', route => {
    routes.push(route);
  });
});

/** Lists the routes of the server, except for the methods HEAD and OPTIONS. */
export async function listRoutes(app: Server): Promise<readonly Route[]> {
  await app.ready();
  return (routesByServer.get(app) ?? []).flatMap(({ method, url, config }) =>
    [method].flat().flatMap(name =>
      name === 'HEAD' || name === 'OPTIONS' || config?.access === undefined
        ? []
        : [
            {
              name: `${name} ${url}`,
              method: name as Route['method'],
              path: url,
              access: config.access,
              reauthentication: config.reauthentication,
            },
          ],
    ),
  );
}
