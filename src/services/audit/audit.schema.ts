// Defines the schemas of requests and responses about the audit log.
import { type Static, Type } from 'typebox';
import { AUDIT_ACTION_NAMES } from '../../store/audit/actions.ts';
import { AUDIT_VIAS } from '../../store/audit/record-audit.ts';
import { PageQuery, PageSchema } from '../paging.ts';
import { Id, Named, Nullable, PositiveInteger, Timestamp } from '../schema.ts';

const Fields = (description: string) =>
  Nullable(Type.Object({}, { additionalProperties: true, description }));

const AuditEvent = Named('AuditEvent', 'A recorded action', {
  id: Id('`aud_…`'),
  at: Timestamp,
  actor: Type.Object({
    userId: Nullable(PositiveInteger({ description: 'Null for the service, the command line and visitors' })),
    name: Type.String(),
    via: Type.Enum(AUDIT_VIAS),
    keyId: Nullable(Type.String({ description: 'The API key or connection' })),
  }),
  action: Type.String(),
  summary: Type.String({ description: 'The action as a sentence' }),
  target: Nullable(Type.String({ description: 'The id of what changed; `user:7` for a user' })),
  targetName: Nullable(Type.String({ description: 'The name of the target, as it was then' })),
  teamId: Nullable(Type.String()),
  before: Fields('The fields that changed, before'),
  after: Fields('The fields that changed, after'),
  address: Nullable(Type.String({ description: 'The IP address of the caller' })),
  requestId: Nullable(Type.String()),
});
export const AuditPage = PageSchema(AuditEvent);

export const AuditActions = Named('AuditActions', 'The actions that the audit log can contain', {
  actions: Type.Array(Type.Object({ action: Type.String(), sentence: Type.String() })),
});

const FILTER = {
  actor: Type.Optional(PositiveInteger({ description: 'Only actions of this user' })),
  action: Type.Optional(Type.Enum(AUDIT_ACTION_NAMES)),
  target: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  from: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601. Only actions at or after' })),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601. Only actions before' })),
  format: Type.Optional(
    Type.Enum(['json', 'ndjson'], {
      description: '`ndjson` streams all matching actions, one a line, and ignores `limit`',
    }),
  ),
};
export const TeamAuditQuery = Type.Object({ ...PageQuery.properties, ...FILTER });
export type TeamAuditQuery = Static<typeof TeamAuditQuery>;
export const AuditQuery = Type.Object({
  ...TeamAuditQuery.properties,
  teamId: Type.Optional(Id('Only actions in this team')),
});
export type AuditQuery = Static<typeof AuditQuery>;
