// Routes of the caller's notices.
import type { Deps } from '../../services/deps.ts';
import {
  ListNotices,
  NoticeEvents,
  NoticePage,
  ReadNoticesBody,
  UnreadNotices,
} from '../../services/notices/notice.schema.ts';
import { followNotices, listNoticePage, readNotices } from '../../services/notices/notices.ts';
import type { App } from '../app.ts';
import { sendEvents, streamSignal } from '../event-stream.ts';
import { listOperations } from '../route.ts';

const operation = listOperations('Notices');

export function registerNotices(app: App, deps: Deps): void {
  app.get(
    '/api/v1/notices',
    operation('listNotices', 'signed-in', {
      summary: 'List your notices',
      description:
        'Returns what happened while nobody was watching, newest first: to what you created and, if you are an OWNER, to your teams. Notices are kept for 90 days.',
      querystring: ListNotices,
      response: { 200: NoticePage },
    }),
    (req, reply) => {
      reply.header('cache-control', 'no-store');
      return listNoticePage(deps, req.actor, req.query);
    },
  );
  app.post(
    '/api/v1/notices/read',
    operation('readNotices', 'signed-in', {
      summary: 'Mark notices as read',
      description:
        'Marks the notices with these `ids`, or `all` of them, as read. Ids that do not exist are ignored. A cause that continues is told again after its notice was read.',
      body: ReadNoticesBody,
      response: { 200: UnreadNotices },
    }),
    req => readNotices(deps, req.actor, req.body),
  );
  app.get(
    '/api/v1/notices/events',
    operation('streamNotices', 'signed-in', {
      summary: 'Stream your notices',
      description:
        'Streams server-sent events: `unread` with the number of notices that you have not read, then `notice` for each new one and `unread` whenever the number changes.',
      errors: ['too_many_streams'],
      response: { 200: NoticeEvents },
    }),
    async (req, reply) => {
      const signal = streamSignal(req, reply, async () => undefined);
      await sendEvents(deps, { req, reply }, { events: followNotices(deps, req.actor, signal), signal });
    },
  );
}
