// The first pages that people open.
import { renderStartPage, START_PATHS } from '../../pages/start-page.ts';
import type { Deps } from '../../services/deps.ts';
import { Plain } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import { HTML, sendErrorPage, sendPage, toAnswer } from '../page-answers.ts';

export function registerStart(app: App, deps: Deps): void {
  const site = { baseUrl: deps.settings.BASE_URL, catalog: deps.catalog };
  for (const path of START_PATHS) {
    const page = toAnswer(renderStartPage(path, site), HTML);
    app.get(
      path,
      {
        config: { limit: 'none' },
        errorHandler: sendErrorPage,
        schema: {
          tags: ['Pages'],
          summary: path === '/' ? 'What this service is' : 'How a first workflow is made',
          response: { 200: Plain('text/html') },
        },
      },
      async (req, reply) => sendPage(req, reply, page, 'public, no-cache'),
    );
  }
}
