// Routes of the content webhook, which publishes pages by POST and changes them by PUT, authorized by its own secret.

import { pagePath } from '../../pages/sections.ts';
import { MARKDOWN } from '../../pages/stored-markdown.ts';
import { CreateContentBody, UpdateContentBody, WrittenPage } from '../../services/content/content.schema.ts';
import { changeContent, publishContent, type WrittenContent } from '../../services/content/content.ts';
import type { Deps } from '../../services/deps.ts';
import type { App } from '../app.ts';
import { created, documented } from '../route.ts';

const PATH = '/api/content/webhook';
const about = documented('Content');
const description = 'Requires `Authorization: Bearer <CONTENT_WEBHOOK_SECRET>`.';

export function registerContent(app: App, deps: Deps): void {
  app.post(
    PATH,
    about('Create a content page', { 201: WrittenPage }, { description, body: CreateContentBody }),
    async (req, reply) => {
      const written = await publishContent(deps, req.body, MARKDOWN);
      return created(deps, reply, pagePath(written.page)).send(present(deps, written));
    },
  );
  app.put(
    PATH,
    about('Update a content page', { 200: WrittenPage }, { description, body: UpdateContentBody }),
    async req => present(deps, await changeContent(deps, req.body, MARKDOWN)),
  );
}

function present({ settings }: Deps, { page, warnings }: WrittenContent) {
  return {
    success: true,
    url: settings.BASE_URL + pagePath(page),
    page,
    ...(warnings.length > 0 ? { meta: { warnings } } : {}),
  };
}
