// Defines the schemas of requests and responses about notices.
import { type Static, Type } from 'typebox';
import { NOTICE_DELIVERIES, NOTICE_KINDS, type NoticeKind } from '../../store/notices.ts';
import { PageQuery, PageSchema } from '../paging.ts';
import { EventStreamSchema, Exact, Named, Nullable, Timestamp } from '../schema.ts';

export const ListNoticesQuery = Type.Object({
  unread: Type.Optional(
    Type.Boolean({
      description:
        'true for notices that you have not read, false for notices that you have read. Default: all',
    }),
  ),
  ...PageQuery.properties,
});
export type ListNoticesQuery = Static<typeof ListNoticesQuery>;

export const ReadNoticesBody = Exact({
  ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 200, description: 'Notice IDs' }),
  ),
  all: Type.Optional(Type.Literal(true, { description: 'Marks all notices as read' })),
});
export type ReadNoticesBody = Static<typeof ReadNoticesBody>;

const Delivery = Type.Enum(NOTICE_DELIVERIES);
type Delivery = Static<typeof Delivery>;
const mapKinds = <T>(toSchema: () => T) =>
  Object.fromEntries(NOTICE_KINDS.map(kind => [kind, toSchema()])) as Record<NoticeKind, T>;

export const NoticeSettings = Named(
  'NoticeSettings',
  'How you receive notices of each kind: in the menu of the bell, by mail, both, or not at all',
  mapKinds(() => Delivery),
);

export const NoticeSettingsBody = Exact(mapKinds(() => Type.Optional(Delivery)));
export type NoticeSettingsBody = Partial<Readonly<Record<NoticeKind, Delivery>>>;

const Notice = Named('Notice', 'A message about an event, such as the end of a batch', {
  id: Type.String(),
  kind: Type.Enum(NOTICE_KINDS),
  title: Type.String(),
  text: Type.String({ description: 'What happened, and what to do' }),
  link: Nullable(Type.String({ description: 'A path of the web application, such as `/batches/bat_…`' })),
  createdAt: Timestamp,
  readAt: Nullable(Timestamp),
});

const Unread = Type.Integer({ description: 'How many notices you have not read' });

export const NoticePage = Type.Object(
  { ...PageSchema(Notice).properties, unread: Unread },
  { title: 'NoticePage', description: 'One page of a list' },
);

export const UnreadNotices = Named('UnreadNotices', 'How many notices you have not read', { unread: Unread });

export const NoticeEvents = EventStreamSchema('NoticeEvent', 'An event of your notices', {
  unread: Named('NoticeUnreadEvent', 'The event `unread`', {
    event: Type.Literal('unread'),
    data: UnreadNotices,
  }),
  notice: Named('NoticeNoticeEvent', 'The event `notice`', { event: Type.Literal('notice'), data: Notice }),
});
