// The caller's own account over HTTP.
import { ChangeMeBody, Me, WorkspaceBody } from '../../services/accounts/account.schema.ts';
import { changeMe, getMe, setActiveWorkspace } from '../../services/accounts/accounts.ts';
import type { Deps } from '../../services/deps.ts';
import type { App } from '../app.ts';

const tags = ['Account'];

export function registerAccount(app: App, deps: Deps): void {
  app.get('/api/v1/me', { schema: { tags, summary: 'Who you are', response: { 200: Me } } }, req =>
    getMe(deps, req.actor),
  );
  app.patch(
    '/api/v1/me',
    { schema: { tags, summary: 'Change your name', body: ChangeMeBody, response: { 200: Me } } },
    req => changeMe(deps, req.actor, req.body),
  );
  app.put(
    '/api/v1/me/workspace',
    {
      schema: { tags, summary: 'Choose the active workspace', body: WorkspaceBody, response: { 200: Me } },
    },
    req => setActiveWorkspace(deps, req.actor, req.body),
  );
}
