// Registers the routes for credentials for model providers.
import { Success } from '../../services/accounts/account.schema.ts';
import {
  ChangeCredentialBody,
  CreateCredentialBody,
  Credential,
  CredentialPage,
  CredentialParams,
  CredentialTest,
  ListCredentialsQuery,
  RemoveCredentialQuery,
  TestCredentialBody,
} from '../../services/credentials/credential.schema.ts';
import { CredentialUses, readCredentialUses } from '../../services/credentials/credential-uses.ts';
import {
  changeCredential,
  createCredential,
  deleteCredential,
  listOwnCredentials,
  readCredential,
} from '../../services/credentials/credentials.ts';
import { DiscoverBody, discoverServers, FoundServers } from '../../services/credentials/find-servers.ts';
import { testCredential, testValues } from '../../services/credentials/test-credential.ts';
import {
  chooseCredentials,
  readWorkflowCredentials,
  WorkflowCredentials,
} from '../../services/credentials/workflow-credentials.ts';
import type { Deps } from '../../services/deps.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS, setCreated, toSuccess } from '../route.ts';

const operation = createDescriber('Credentials');
// Which scope a request needs depends on the owner of the credential.
const CREDENTIAL_ERRORS = [...RESOURCE_ERRORS, 'insufficient_scope'] as const;

export function registerCredentials(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/credentials',
    operation('listCredentials', 'signed-in', {
      summary: 'List credentials',
      description:
        'Returns the credentials of a workspace to its members with the scope `workflows:read`. With `owner=instance`, returns those of the instance to administrators, the keys in the environment first.',
      errors: ['insufficient_scope', 'not_found'],
      querystring: ListCredentialsQuery,
      response: { 200: CredentialPage },
    }),
    req => listOwnCredentials(deps, req.actor, req.query),
  );
  server.post(
    '/api/v1/credentials',
    operation('createCredential', 'signed-in', {
      summary: 'Store a credential',
      description:
        'Stores a credential for a provider. For your personal workspace, or a team that you are an OWNER of, you need the scope `account:admin`; for the instance, you must be an administrator with the scope `instance:admin`. Values are encrypted and never returned.',
      reauthentication: 'always',
      errors: [...CREDENTIAL_ERRORS, 'conflict', 'credentials_off'],
      body: CreateCredentialBody,
      response: { 201: Credential },
    }),
    async (req, reply) => {
      const credential = await createCredential(deps, req.actor, req.body);
      return setCreated(deps, reply, `/api/v1/credentials/${credential.id}`).send(credential);
    },
  );
  server.post(
    '/api/v1/credentials/test',
    operation('testCredentialValues', 'signed-in', {
      summary: 'Test values of a credential',
      description:
        'Tests the values with a free request to the provider, for at most 10 s. You can run ten tests a minute.',
      errors: ['insufficient_scope', 'credentials_off', 'rate_limited'],
      body: TestCredentialBody,
      response: { 200: CredentialTest },
    }),
    req => testValues(deps, req.actor, req.body),
  );
  server.post(
    '/api/v1/credentials/discover',
    operation('discoverServers', 'instance:admin', {
      summary: 'Find servers on this machine',
      description:
        'Looks for servers of models on the usual ports of the machine on which the service runs: 11434, 1234, 8080, 8000, 8880, 8188 and 7860. Nothing is generated, and nothing is stored. The service never looks for servers by itself.',
      errors: ['rate_limited'],
      body: DiscoverBody,
      response: { 200: FoundServers },
    }),
    req => discoverServers(deps, req.actor),
  );
  server.get(
    '/api/v1/credentials/:id',
    operation('getCredential', 'signed-in', {
      summary: 'Read a credential',
      description: 'Returns a credential without its values.',
      errors: ['insufficient_scope', 'not_found'],
      params: CredentialParams,
      response: { 200: Credential },
    }),
    req => readCredential(deps, req.actor, req.params.id),
  );
  server.patch(
    '/api/v1/credentials/:id',
    operation('updateCredential', 'signed-in', {
      summary: 'Change a credential',
      description:
        'Changes a credential. `values` replaces its values and keeps its id: later calls use the new values, and active calls keep the old ones.',
      reauthentication: 'always',
      errors: [...CREDENTIAL_ERRORS, 'credentials_off'],
      params: CredentialParams,
      body: ChangeCredentialBody,
      response: { 200: Credential },
    }),
    req => changeCredential(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/credentials/:id',
    operation('deleteCredential', 'signed-in', {
      summary: 'Delete a credential',
      description:
        'Deletes a credential. If it is chosen for workflows or has active calls, returns 409 with their names, unless `force=true`. Active calls then continue with the old values, and later calls of accepted runs fail.',
      reauthentication: 'always',
      errors: [...CREDENTIAL_ERRORS, 'credential_in_use', 'credentials_off'],
      params: CredentialParams,
      querystring: RemoveCredentialQuery,
      response: { 200: Success },
    }),
    ({ actor, params, query }) =>
      toSuccess(deleteCredential(deps, actor, params.id, { force: query.force === 'true' })),
  );
  server.post(
    '/api/v1/credentials/:id/test',
    operation('testCredential', 'signed-in', {
      summary: 'Test a credential',
      description:
        'Tests a stored credential like `POST /credentials/test`, and records the outcome in its `status`.',
      errors: [...CREDENTIAL_ERRORS, 'credentials_off', 'rate_limited'],
      params: CredentialParams,
      response: { 200: CredentialTest },
    }),
    req => testCredential(deps, req.actor, req.params.id),
  );
  server.get(
    '/api/v1/credentials/:id/uses',
    operation('listCredentialUses', 'signed-in', {
      summary: 'List what uses a credential',
      description: 'Returns the workflows that use a credential, and the number of its active calls.',
      errors: CREDENTIAL_ERRORS,
      params: CredentialParams,
      response: { 200: CredentialUses },
    }),
    req => readCredentialUses(deps, req.actor, req.params.id),
  );
  server.get(
    '/api/v1/workflows/:id/credentials',
    operation('getWorkflowCredentials', 'workflows:read', {
      summary: 'Read the credentials of a workflow',
      description:
        'Returns the credentials that the workflow uses instead of the defaults of its workspace. Requires permission to edit the workflow.',
      params: WorkflowParams,
      response: { 200: WorkflowCredentials },
    }),
    req => readWorkflowCredentials(deps, req.actor, req.params.id),
  );
  server.put(
    '/api/v1/workflows/:id/credentials',
    operation('chooseWorkflowCredentials', 'workflows:write', {
      summary: 'Choose the credentials of a workflow',
      description:
        'Chooses the credentials that the workflow uses instead of the defaults of its workspace. They must belong to that workspace. Kinds that are missing in the body keep their credential; null restores the default. Copies of the workflow use the defaults.',
      errors: [...RESOURCE_ERRORS, 'credentials_off'],
      params: WorkflowParams,
      body: WorkflowCredentials,
      response: { 200: WorkflowCredentials },
    }),
    req => chooseCredentials(deps, req.actor, req.params.id, req.body),
  );
}
