// Routes of the caller's own account.
import { ChangeMeBody, Me, WorkspaceBody } from '../../services/accounts/account.schema.ts';
import { changeMe, getMe, setActiveWorkspace } from '../../services/accounts/accounts.ts';
import type { Deps } from '../../services/deps.ts';
import type { App } from '../app.ts';
import { documented } from '../route.ts';

const about = documented('Account');

export function registerAccount(app: App, deps: Deps): void {
  app.get('/api/v1/me', about('Read your account', { 200: Me }), req => getMe(deps, req.actor));
  app.patch('/api/v1/me', about('Update your account', { 200: Me }, { body: ChangeMeBody }), req =>
    changeMe(deps, req.actor, req.body),
  );
  app.put(
    '/api/v1/me/workspace',
    about('Set the active workspace', { 200: Me }, { body: WorkspaceBody }),
    req => setActiveWorkspace(deps, req.actor, req.body),
  );
}
