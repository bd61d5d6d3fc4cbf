// Defines the schemas of requests and responses about approvals.
import { type Static, Type } from 'typebox';
import type { Json } from '../../graph/types.ts';
import { PageQuery, PageSchema } from '../../services/paging.ts';
import { Id, IdParams, Named, NamedExact, Nullable, Timestamp } from '../../services/schema.ts';
import { APPROVAL_STATUSES, ASSIGNEE_MAILS } from '../../store/approvals.ts';

export const ApprovalId = IdParams('Approval ID, `apv_…`');

export const ApprovalNode = Type.Object({
  id: Id('Execution ID, `ex_…`'),
  nodeId: Type.String({ maxLength: 1000, description: 'The node that waits' }),
});

export const ListApprovalsQuery = Type.Object({
  status: Type.Optional(
    Type.Enum(['waiting', 'decided'] as const, {
      default: 'waiting',
      description: '`decided` includes approvals that nobody decided in time',
    }),
  ),
  brief: Type.Optional(Type.Boolean({ default: false, description: 'Leave out the values that wait' })),
  ...PageQuery.properties,
});
export type ListApprovalsQuery = Static<typeof ListApprovalsQuery>;

const MAX_COMMENT_CHARS = 2000;

const DECISION_FIELDS = {
  decision: Type.Enum(['approve', 'reject'] as const),
  comment: Type.Optional(Type.String({ maxLength: MAX_COMMENT_CHARS })),
  edits: Type.Optional(
    Type.Object(
      { input: Type.Unsafe<Json>({ description: 'The text, number or JSON that continues instead' }) },
      { additionalProperties: false, description: 'If the approval is `editable`' },
    ),
  ),
};

export const DecisionBody = NamedExact('DecisionRequest', 'A decision on an approval', DECISION_FIELDS);
export type DecisionBody = Static<typeof DecisionBody>;

const Token = Type.String({ minLength: 1, maxLength: 200, description: 'The token of the link in the mail' });
export const CreateLinkBody = NamedExact('ApprovalLinkRequest', 'For whom to create a link', {
  email: Type.String({ maxLength: 320, description: 'An assignee without an account' }),
});
export const CreatedApprovalLink = Named('CreatedApprovalLink', 'A link to an approval', {
  url: Type.String({ description: 'Works once, without an account' }),
  expiresAt: Timestamp,
});
export const OpenLinkBody = NamedExact('ApprovalLink', 'A link to an approval', { token: Token });
export const LinkDecisionBody = NamedExact('LinkDecisionRequest', 'A decision by a link', {
  token: Token,
  ...DECISION_FIELDS,
});
export const LinkMailsBody = NamedExact('ApprovalMailsRequest', 'Whether to stop mails', {
  token: Token,
  isStopped: Type.Boolean(),
});
export type LinkDecisionBody = Static<typeof LinkDecisionBody>;

const DecidedBy = Type.Object(
  {
    via: Type.Enum(['account', 'link', 'timeout'] as const),
    userId: Type.Optional(Type.Integer()),
    name: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    linkCreatedBy: Type.Optional(
      Type.Integer({ description: 'The owner who created the link, if the service did not send it' }),
    ),
  },
  { description: '`link`: by the link in a mail. `timeout`: nobody decided in time' },
);

/** A decision, in approvals and in node states. */
export const PresentedDecision = Named('Decision', 'A decision on an approval', {
  decision: Type.Enum(['approve', 'reject'] as const),
  comment: Nullable(Type.String()),
  edited: Type.Boolean({ description: 'Whether the value was changed' }),
  by: DecidedBy,
  at: Nullable(Timestamp),
});

const WaitingItem = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  value: Type.Optional(Type.Unknown({ description: 'A number or JSON' })),
  url: Type.Optional(Type.String({ description: 'A media file' })),
  contentType: Type.Optional(Type.String()),
  posterUrl: Type.Optional(Type.String()),
});

const FIELDS = {
  id: Type.String(),
  label: Type.String({ description: 'The label of the node' }),
  message: Type.String({ description: 'The question' }),
  status: Type.Enum(APPROVAL_STATUSES),
  type: Type.String({ description: 'The type of the value that waits, such as `TEXT`' }),
  items: Type.Array(WaitingItem, { description: 'The value; of a list, its first 50 items' }),
  truncated: Type.Boolean({ description: 'Whether `value` is incomplete because it was too large' }),
  editable: Type.Boolean({ description: 'Whether a decision may have `edits`' }),
  startedBy: Type.String({ description: 'Who started the run' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  decision: Nullable(PresentedDecision),
};

export const Approval = Named('Approval', 'A decision that a run waits for', {
  ...FIELDS,
  executionId: Type.String(),
  nodeId: Type.String(),
  workflowId: Nullable(Type.String({ description: 'Null if you may not view the workflow' })),
  workflowName: Nullable(Type.String()),
  assignees: Type.Array(
    Type.Object({
      userId: Nullable(Type.Integer()),
      email: Nullable(Type.String()),
      mail: Type.Enum(ASSIGNEE_MAILS, {
        description:
          '`limited`: no mail was sent, because too many were sent on this day. `stopped`: the person wants none',
      }),
    }),
    { description: 'Who is asked. Empty if you may not view the workflow' },
  ),
});
export const ApprovalPage = PageSchema(Approval);

export const LinkedApproval = Named('LinkedApproval', 'What a person sees who decides by a link', {
  ...FIELDS,
  email: Nullable(Type.String({ description: 'To whom the link was sent' })),
  mailsStopped: Nullable(
    Type.Boolean({ description: 'Whether this address gets no mails. Null for a person with an account' }),
  ),
});
