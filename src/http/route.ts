// Provides helpers for routes: the description of a route, and common responses.
import type { FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import { omitUndefined } from '../lib/record.ts';
import type { Deps } from '../services/deps.ts';
import type { Access } from './access.ts';
import type { RouteDescription } from './openapi/operation.ts';

/** Error codes of routes that read or change one resource. Routes with path parameters have them by default. */
export const RESOURCE_ERRORS = ['forbidden', 'not_found'] as const;
/** Error codes of requests whose graph calls a component that cannot be used. */
export const COMPONENT_ERRORS = [
  'component_missing',
  'component_circle',
  'component_too_deep',
  'component_too_large',
  'component_forbidden',
] as const;
/** Error codes of routes that store a file. */
export const FILE_ERRORS = [
  'file_too_large',
  'storage_quota_exceeded',
  'unsupported_type',
  'unreadable_image',
  'unreadable_media',
  'empty_file',
] as const;

interface RouteOptions<Body, Params, Query, Headers> extends Omit<RouteDescription, 'access'> {
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
 * Returns a function that describes the routes of a tag. It takes the operation id, which is also the name of the SDK's
 * method, the access, and other options.
 *
 *     server.get('/api/v1/keys/:id', operation('getKey', 'account:admin', { summary, description, params, response }), handler)
 */
export const createDescriber =
  (tag: string) =>
  <Body = undefined, Params = undefined, Query = undefined, Headers = undefined>(
    operationId: string,
    access: Access,
    options: RouteOptions<Body, Params, Query, Headers>,
  ): { config: RouteDescription; schema: RouteSchemas<Body, Params, Query, Headers> } => {
    const { summary, response, body, params, querystring, headers, consumes, hide, ...rest } = options;
    const errors = params === undefined ? [] : RESOURCE_ERRORS;
    const config = { errors, ...rest, access };
    const schemas = omitUndefined({ body, params, querystring, headers, consumes, hide });
    const documentation = { operationId, tags: [tag], summary, response, 'x-route': config };
    return {
      config,
      schema: { ...documentation, ...(schemas as unknown as RouteSchemas<Body, Params, Query, Headers>) },
    };
  };

/** Sets status 201 and the Location of the new resource. */
export function setCreated(deps: Pick<Deps, 'settings'>, reply: FastifyReply, path: string): FastifyReply {
  return reply.code(201).header('location', `${deps.settings.BASE_URL}${path}`);
}

/** Takes over the raw response, and sets the headers that hooks have added. */
export function hijackWithHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.hijack();
}

/** Waits for the operation, and returns the response of operations without a result. */
export async function toSuccess(work: Promise<void>): Promise<{ readonly success: true }> {
  await work;
  return { success: true };
}
