// Registers the routes for administrators about mails.
import type { Deps } from '../../services/deps.ts';
import { listMailPage, sendTestMail } from '../../services/mails/admin-mails.ts';
import { ListMailsQuery, MailPage, MailTest } from '../../services/mails/mail.schema.ts';
import type { Server } from '../deps.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Administration');

export function registerMails(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/admin/mails',
    operation('listMails', 'instance:admin', {
      summary: 'List mails',
      description: 'Returns the mails of the last 30 days, newest first, without their content.',
      querystring: ListMailsQuery,
      response: { 200: MailPage },
      isUncacheable: true,
    }),
    req => listMailPage(deps, req.actor, req.query),
  );
  server.post(
    '/api/v1/admin/mails/test',
    operation('sendTestMail', 'instance:admin', {
      summary: 'Send a test mail',
      description: 'Sends a mail to your address at once, and returns what the mail server answered.',
      errors: ['conflict'],
      response: { 200: MailTest },
      isUncacheable: true,
    }),
    req => sendTestMail(deps, req.actor),
  );
}
