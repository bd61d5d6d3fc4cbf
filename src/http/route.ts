// Provides helpers for routes: the description of a route, and common responses.
import type { FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import type { Deps } from '../services/deps.ts';
import type { Access } from './access.ts';
import type { RouteDescription } from './openapi/operation.ts';

/** Codes of routes that read or change one resource: the default of routes with path parameters. */
export const RESOURCE_ERRORS = ['forbidden', 'not_found'] as const;
/** The errors of calls whose components cannot be used. */
export const COMPONENT_ERRORS = [
  'component_missing',
  'component_circle',
  'component_too_deep',
  'component_too_large',
  'component_forbidden',
] as const;
/** Codes of routes that store a file. */
export const FILE_ERRORS = [
  'file_too_large',
  'storage_quota_exceeded',
  'unsupported_type',
  'unreadable_image',
  'unreadable_media',
  'empty_file',
] as const;

interface Options<Body, Params, Query, Headers> extends Omit<RouteDescription, 'access'> {
  readonly summary: string;
  /** Response schemas by status. They only document; responses are not validated. */
  readonly response: Readonly<Record<number, TSchema>>;
  readonly body?: Body;
  readonly params?: Params;
  readonly querystring?: Query;
  readonly headers?: Headers;
  /** Content types of the body. Default: JSON. */
  readonly consumes?: readonly string[];
  /** Leaves the route out of the OpenAPI document. */
  readonly hide?: boolean;
}

interface RouteSchemas<Body, Params, Query, Headers> {
  readonly body: Body;
  readonly params: Params;
  readonly querystring: Query;
  readonly headers: Headers;
}

/**
 * Returns a function that describes the routes of a tag: their operation id, which names the SDK's method, who may call
 * them, and the rest.
 *
 *     app.get('/api/v1/keys/:id', operation('getKey', 'account:admin', { summary, description, params, response }), handler)
 */
export const createDescriber =
  (tag: string) =>
  <Body = undefined, Params = undefined, Query = undefined, Headers = undefined>(
    operationId: string,
    access: Access,
    options: Options<Body, Params, Query, Headers>,
  ): { config: RouteDescription; schema: RouteSchemas<Body, Params, Query, Headers> } => {
    const { summary, response, body, params, querystring, headers, consumes, hide, ...rest } = options;
    const errors = params === undefined ? [] : RESOURCE_ERRORS;
    const config = { errors, ...rest, access };
    const given = { body, params, querystring, headers, consumes, hide };
    const schemas = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const documentation = { operationId, tags: [tag], summary, response, 'x-route': config };
    return {
      config,
      schema: { ...documentation, ...(schemas as unknown as RouteSchemas<Body, Params, Query, Headers>) },
    };
  };

/** Sends 201 with the Location of the new resource. */
export function setCreated(deps: Pick<Deps, 'settings'>, reply: FastifyReply, path: string): FastifyReply {
  return reply.code(201).header('location', `${deps.settings.BASE_URL}${path}`);
}

/** Returns the response of operations that return only success. */
export async function toSuccess(work: Promise<void>): Promise<{ readonly success: true }> {
  await work;
  return { success: true };
}
