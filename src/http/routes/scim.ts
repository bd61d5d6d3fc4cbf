// Registers the SCIM 2.0 endpoints, with which an identity provider manages accounts and groups. They are not in the OpenAPI document,
// because clients know them from RFC 7644.
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { isRecord } from '../../lib/record.ts';
import type { Deps } from '../../services/deps.ts';
import {
  listResourceTypes,
  listSchemas,
  readResourceType,
  readSchema,
  readServiceConfig,
} from '../../services/scim/discovery.ts';
import {
  createGroup,
  deleteGroup,
  listGroups,
  patchGroup,
  readGroupById,
  replaceGroup,
} from '../../services/scim/groups.ts';
import type { ScimQuery } from '../../services/scim/query.ts';
import { createScimError } from '../../services/scim/scim-error.ts';
import {
  createUser,
  deleteUser,
  listUsers,
  patchUser,
  readUser,
  replaceUser,
} from '../../services/scim/users.ts';
import { parseJsonBody } from '../body.ts';
import type { Server } from '../deps.ts';
import { translateError } from '../errors.ts';
import { readBytes } from '../read-bytes.ts';

const CONTENT_TYPE = 'application/scim+json';
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';
const BODY_LIMIT_BYTES = 2_097_152;
const ROOT = '/scim/v2';

export function registerScim(server: Server, deps: Deps): void {
  const options = {
    bodyLimit: BODY_LIMIT_BYTES,
    schema: { hide: true },
    config: { access: 'scim' as const },
    errorHandler: createErrorSender(deps),
  };
  void server.register(async scope => {
    scope.addContentTypeParser(CONTENT_TYPE, async (req: FastifyRequest, payload: FastifyRequest['raw']) =>
      parseJsonBody(req, await readBytes(req, payload)),
    );
    registerDiscovery(scope, deps, options);
    registerUsers(scope, deps, options);
    registerGroups(scope, deps, options);
    // So that clients understand the errors of endpoints that do not exist.
    scope.all(`${ROOT}/*`, options, req => {
      throw new AppError(
        'not_found',
        `There is no SCIM endpoint ${req.url.split('?', 1)[0]?.slice(0, 200)}.`,
      );
    });
  });
}

function registerDiscovery(scope: Server, deps: Deps, options: RouteShorthandOptions): void {
  const serve = (path: string, read: (id: string) => object): void => {
    scope.get(ROOT + path, options, (req, reply) => send(reply, 200, read(getId(req))));
  };
  serve('/ServiceProviderConfig', () => readServiceConfig(deps));
  serve('/ResourceTypes', () => listResourceTypes(deps));
  serve('/ResourceTypes/:id', id => readResourceType(deps, id));
  serve('/Schemas', () => listSchemas(deps));
  serve('/Schemas/:id', id => readSchema(deps, id));
}

function registerUsers(scope: Server, deps: Deps, options: RouteShorthandOptions): void {
  const path = `${ROOT}/Users`;
  scope.get(path, options, async (req, reply) => send(reply, 200, await listUsers(deps, getQuery(req))));
  scope.post(path, options, async (req, reply) => sendCreated(reply, await createUser(deps, getBody(req))));
  scope.get(`${path}/:id`, options, async (req, reply) =>
    send(reply, 200, await readUser(deps, getId(req), getQuery(req))),
  );
  scope.put(`${path}/:id`, options, async (req, reply) =>
    send(reply, 200, await replaceUser(deps, getId(req), getBody(req))),
  );
  scope.patch(`${path}/:id`, options, async (req, reply) =>
    send(reply, 200, await patchUser(deps, getId(req), getBody(req))),
  );
  scope.delete(`${path}/:id`, options, async (req, reply) => {
    await deleteUser(deps, getId(req));
    return reply.code(204).send();
  });
}

function registerGroups(scope: Server, deps: Deps, options: RouteShorthandOptions): void {
  const path = `${ROOT}/Groups`;
  scope.get(path, options, async (req, reply) => send(reply, 200, await listGroups(deps, getQuery(req))));
  scope.post(path, options, async (req, reply) => sendCreated(reply, await createGroup(deps, getBody(req))));
  scope.get(`${path}/:id`, options, async (req, reply) =>
    send(reply, 200, await readGroupById(deps, getId(req), getQuery(req))),
  );
  scope.put(`${path}/:id`, options, async (req, reply) =>
    send(reply, 200, await replaceGroup(deps, getId(req), getBody(req))),
  );
  // Without a body, because a group can have many members.
  scope.patch(`${path}/:id`, options, async (req, reply) => {
    await patchGroup(deps, getId(req), getBody(req));
    return reply.code(204).send();
  });
  scope.delete(`${path}/:id`, options, async (req, reply) => {
    await deleteGroup(deps, getId(req));
    return reply.code(204).send();
  });
}

const getId = (req: FastifyRequest): string => (req.params as { id?: string }).id ?? '';

const getQuery = (req: FastifyRequest): ScimQuery => req.query as ScimQuery;

function getBody({ body }: FastifyRequest): Readonly<Record<string, unknown>> {
  if (isRecord(body)) return body;
  throw createScimError('invalidSyntax', 'The body must be a JSON object.');
}

const send = (reply: FastifyReply, status: number, resource: object): FastifyReply =>
  reply.code(status).type(`${CONTENT_TYPE}; charset=utf-8`).send(resource);

const sendCreated = (reply: FastifyReply, resource: object): FastifyReply =>
  send(
    reply.header('location', (resource as { meta?: { location?: string } }).meta?.location),
    201,
    resource,
  );

/** Sends errors in the form of RFC 7644 §3.12. */
const createErrorSender =
  ({ log }: Pick<Deps, 'log'>) =>
  (thrown: unknown, req: FastifyRequest, reply: FastifyReply): void => {
    const err = translateError(thrown, req.method);
    if (err.status >= 500) log.error({ err: err.cause ?? err, requestId: req.id }, 'a SCIM request failed');
    const scimType = err.details?.scimType ?? (err.code === 'invalid_json' ? 'invalidSyntax' : undefined);
    reply
      .code(err.status)
      .headers(err.headers ?? {})
      .type(`${CONTENT_TYPE}; charset=utf-8`)
      .send({
        schemas: [ERROR_SCHEMA],
        status: String(err.status),
        ...(scimType === undefined ? {} : { scimType }),
        detail: err.message,
      });
  };
