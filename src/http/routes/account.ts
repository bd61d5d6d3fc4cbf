// Registers the routes for the caller's own account.
import { ChangeMeBody, Me, WorkspaceBody } from '../../services/accounts/account.schema.ts';
import { changeMe, readMe, setActiveWorkspace } from '../../services/accounts/accounts.ts';
import type { Deps } from '../../services/deps.ts';
import type { Server } from '../deps.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Account');

export function registerAccount(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/me',
    operation('getMe', 'signed-in', {
      summary: 'Read your account',
      description:
        'Returns your user, your active workspace and plan, and the scopes of the credential you sent.',
      response: { 200: Me },
    }),
    req => readMe(deps, req.actor),
  );
  server.patch(
    '/api/v1/me',
    operation('updateMe', 'account:admin', {
      summary: 'Update your account',
      description: 'Changes your display name. You cannot change your email.',
      body: ChangeMeBody,
      response: { 200: Me },
    }),
    req => changeMe(deps, req.actor, req.body),
  );
  server.put(
    '/api/v1/me/workspace',
    operation('setWorkspace', 'workflows:write', {
      summary: 'Set the active workspace',
      description:
        'Sets the workspace that new items belong to and whose credits pay for runs: the id of a team, or null for your personal workspace.',
      errors: ['not_found'],
      body: WorkspaceBody,
      response: { 200: Me },
    }),
    req => setActiveWorkspace(deps, req.actor, req.body),
  );
}
