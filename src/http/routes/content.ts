// Registers the routes for the content webhook, which publishes pages by POST and changes them by PUT. A separate
// secret authorizes the requests.
import { getPagePath } from '../../pages/sections.ts';
import { MARKDOWN } from '../../pages/stored-markdown.ts';
import { CreateContentBody, UpdateContentBody, WrittenPage } from '../../services/content/content.schema.ts';
import { changeContent, createContent, type WrittenContent } from '../../services/content/content.ts';
import type { Deps } from '../../services/deps.ts';
import type { Server } from '../deps.ts';
import { createDescriber, setCreated } from '../route.ts';

const PATH = '/api/content/webhook';
const operation = createDescriber('Content');

export function registerContent(server: Server, deps: Deps): void {
  server.post(
    PATH,
    operation('createPage', 'content-secret', {
      summary: 'Create a content page',
      description:
        'Creates a page of `/features`, `/models` or `/blog`, depending on its type. Requires the content secret.',
      errors: ['conflict', 'duplicate_title', 'author_missing', 'slug_taken', 'not_found'],
      body: CreateContentBody,
      response: { 201: WrittenPage },
    }),
    async (req, reply) => {
      const writtenPage = await createContent(deps, req.body, MARKDOWN);
      return setCreated(deps, reply, getPagePath(writtenPage.page)).send(presentWritten(deps, writtenPage));
    },
  );
  server.put(
    PATH,
    operation('updatePage', 'content-secret', {
      summary: 'Update a content page',
      description:
        'Finds a page by its `slug` and changes the fields that are sent. Requires the content secret.',
      errors: ['not_found', 'duplicate_title'],
      body: UpdateContentBody,
      response: { 200: WrittenPage },
    }),
    async req => presentWritten(deps, await changeContent(deps, req.body, MARKDOWN)),
  );
}

function presentWritten({ settings }: Deps, { page, warnings }: WrittenContent) {
  return {
    success: true,
    url: settings.BASE_URL + getPagePath(page),
    page,
    ...(warnings.length > 0 ? { meta: { warnings } } : {}),
  };
}
