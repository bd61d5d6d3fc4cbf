// Registers the routes for the roles that groups of the identity provider give in teams, and for the SCIM token.
import { Success } from '../../runs/read/run-response.schema.ts';
import type { Deps } from '../../services/deps.ts';
import { readGroupMappings, replaceGroupMappings } from '../../services/groups/group-mappings.ts';
import { GroupMappings, GroupMappingsBody } from '../../services/groups/groups.schema.ts';
import { CreatedScimToken, ScimToken } from '../../services/scim/scim.schema.ts';
import { createScimToken, deleteScimToken, readScimToken } from '../../services/scim/scim-token.ts';
import type { Server } from '../deps.ts';
import { createDescriber, setCreated, toSuccess } from '../route.ts';

const operation = createDescriber('Administration');

export function registerGroups(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/admin/groups',
    operation('getGroupMappings', 'instance:admin', {
      summary: 'Read the roles of groups',
      description: 'Returns which roles the groups of the identity provider give in teams.',
      response: { 200: GroupMappings },
    }),
    req => readGroupMappings(deps, req.actor),
  );
  server.put(
    '/api/v1/admin/groups',
    operation('replaceGroupMappings', 'instance:admin', {
      summary: 'Replace the roles of groups',
      description:
        'Replaces the whole table, and adds, changes and removes the memberships that it gives. Memberships that people made stay. The strongest role of a person counts, and the last OWNER of a team stays its OWNER.',
      reauthentication: 'always',
      body: GroupMappingsBody,
      response: { 200: GroupMappings },
    }),
    req => replaceGroupMappings(deps, req.actor, req.body),
  );
  registerToken(server, deps);
}

const TOKEN_PATH = '/api/v1/admin/scim-token';

function registerToken(server: Server, deps: Deps): void {
  server.post(
    TOKEN_PATH,
    operation('createScimToken', 'instance:admin', {
      summary: 'Create the SCIM token',
      description:
        'Creates the token with which an identity provider manages accounts and groups at `/scim/v2`, and revokes an earlier one. It is shown only in this response.',
      reauthentication: 'always',
      response: { 201: CreatedScimToken },
      isUncacheable: true,
    }),
    async (req, reply) => setCreated(deps, reply, TOKEN_PATH).send(await createScimToken(deps, req.actor)),
  );
  server.get(
    TOKEN_PATH,
    operation('getScimToken', 'instance:admin', {
      summary: 'Read the SCIM token',
      description:
        'Returns when the SCIM token was created and last used. Both times are null if there is no token.',
      response: { 200: ScimToken },
    }),
    req => readScimToken(deps, req.actor),
  );
  server.delete(
    TOKEN_PATH,
    operation('deleteScimToken', 'instance:admin', {
      summary: 'Revoke the SCIM token',
      description: 'The identity provider can no longer change accounts. They stay as they are.',
      reauthentication: 'always',
      errors: ['not_found'],
      response: { 200: Success },
    }),
    req => toSuccess(deleteScimToken(deps, req.actor)),
  );
}
