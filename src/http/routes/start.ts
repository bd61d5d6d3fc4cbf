// The first page that people open.
import { renderStartPage } from '../../pages/start-page.ts';
import { hasSession } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { Plain } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import { HTML, sendErrorPage, sendPage, toAnswer } from '../pages/page-answers.ts';

export function registerStart(app: App, deps: Deps): void {
  const page = toAnswer(renderStartPage({ baseUrl: deps.settings.BASE_URL, catalog: deps.catalog }), HTML);
  app.get(
    '/',
    {
      config: { limit: 'none' },
      errorHandler: sendErrorPage,
      schema: {
        tags: ['Pages'],
        summary: 'What this service is; who is signed in is led to their workflows',
        response: { 200: Plain('text/html'), 302: Plain('text/html') },
      },
    },
    async (req, reply) => {
      reply.header('vary', 'Cookie');
      if (hasSession(req.actor)) return reply.header('cache-control', 'no-store').redirect('/workflows');
      return sendPage(req, reply, page, 'no-cache');
    },
  );
}
