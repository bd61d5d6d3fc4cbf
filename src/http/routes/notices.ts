// Registers the routes for the caller's notices.
import type { Deps } from '../../services/deps.ts';
import {
  ListNoticesQuery,
  NoticeEvents,
  NoticePage,
  NoticeSettings,
  NoticeSettingsBody,
  ReadNoticesBody,
  UnreadNotices,
} from '../../services/notices/notice.schema.ts';
import { readNoticeSettings, replaceNoticeSettings } from '../../services/notices/notice-settings.ts';
import {
  followNotices,
  listNoticePage,
  markNoticesRead,
  requireSameClosedTeams,
} from '../../services/notices/notices.ts';
import type { Server } from '../deps.ts';
import { streamEvents } from '../event-stream.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Notices');

export function registerNotices(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/notices',
    operation('listNotices', 'signed-in', {
      summary: 'List your notices',
      description:
        'Returns the notices about items that you created and about teams that you are an OWNER of, newest first. Notices are kept for 90 days.',
      querystring: ListNoticesQuery,
      response: { 200: NoticePage },
      isUncacheable: true,
    }),
    req => listNoticePage(deps, req.actor, req.query),
  );
  server.post(
    '/api/v1/notices/read',
    operation('readNotices', 'signed-in', {
      summary: 'Mark notices as read',
      description:
        'Marks the notices with these `ids`, or `all` of them, as read. Ids that do not exist are ignored. If the cause of a read notice continues, you get a new one.',
      body: ReadNoticesBody,
      response: { 200: UnreadNotices },
    }),
    req => markNoticesRead(deps, req.actor, req.body),
  );
  server.get(
    '/api/v1/notices/settings',
    operation('getNoticeSettings', 'signed-in', {
      summary: 'Read how you receive notices',
      description:
        'Returns for each kind whether you get it in the menu of the bell, by mail, both, or not at all. Without a mail server, `mail` counts as `bell`.',
      response: { 200: NoticeSettings },
    }),
    req => readNoticeSettings(deps, req.actor),
  );
  server.put(
    '/api/v1/notices/settings',
    operation('replaceNoticeSettings', 'signed-in', {
      summary: 'Choose how you receive notices',
      description:
        'Replaces your settings. Kinds that are absent get their defaults. Mails about the security of your account cannot be turned off.',
      body: NoticeSettingsBody,
      response: { 200: NoticeSettings },
    }),
    req => replaceNoticeSettings(deps, req.actor, req.body),
  );
  server.get(
    '/api/v1/notices/events',
    operation('streamNotices', 'signed-in', {
      summary: 'Stream your notices',
      description:
        'Streams server-sent events: `unread` with the number of notices that you have not read, then `notice` for each new one and `unread` whenever the number changes.',
      errors: ['too_many_streams'],
      response: { 200: NoticeEvents },
    }),
    (req, reply) =>
      streamEvents(deps, req, reply, {
        // Ends the stream once other teams require a second factor, so that the browser opens it again.
        checkAccess: async actor => requireSameClosedTeams(actor, req.actor),
        watch: signal => followNotices(deps, req.actor, signal),
      }),
  );
}
