// Credits over HTTP.
import { GrantBody, getCredits, grantCredits } from '../../services/credits.ts';
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import type { App } from '../app.ts';

export function registerCredits(app: App, deps: Deps): void {
  app.get(
    '/api/v1/credits',
    {
      schema: {
        tags: ['Credits'],
        summary: 'Read the balance and the ledger of your active workspace',
        querystring: PageQuery,
      },
    },
    req => getCredits(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/admin/credits',
    { schema: { tags: ['Operator'], summary: 'Grant credits to a user or a team', body: GrantBody } },
    req => grantCredits(deps, req.actor, req.body),
  );
}
