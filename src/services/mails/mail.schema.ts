// Defines the schemas of requests and responses about mails.
import { type Static, Type } from 'typebox';
import { MAIL_STATES } from '../../store/mails.ts';
import { PageQuery, PageSchema } from '../paging.ts';
import { Named, Nullable, Timestamp } from '../schema.ts';

export const ListMailsQuery = Type.Object({
  state: Type.Optional(Type.Enum(MAIL_STATES)),
  ...PageQuery.properties,
});
export type ListMailsQuery = Static<typeof ListMailsQuery>;

export const MailPage = PageSchema(
  Named('Mail', 'A mail of the service, without its content', {
    id: Type.String(),
    address: Type.String(),
    kind: Type.String({ description: 'The kind of the notice, or `invitation` or `password_reset`' }),
    state: Type.Enum(MAIL_STATES, {
      description:
        '`unconfirmed`: the server has the mail, but its answer was lost, so that it is not sent again',
    }),
    attempts: Type.Integer(),
    result: Nullable(Type.String({ description: 'The answer of the server, or the last error' })),
    nextAttemptAt: Nullable(Timestamp),
    createdAt: Timestamp,
    finishedAt: Nullable(Timestamp),
  }),
);

export const MailTest = Named('MailTest', 'The outcome of a test mail', {
  isSent: Type.Boolean(),
  address: Type.String(),
  result: Type.String({ description: 'The answer of the server, or what is wrong' }),
});
