// Defines the response schemas of workflows, for the OpenAPI document.
import { Type } from 'typebox';
import { EXECUTION_STATUSES } from '../../store/executions.ts';
import { LINK_PERMISSIONS } from '../../store/workflows/workflows.ts';
import { Edge, Node } from '../graph.schema.ts';
import { PageSchema } from '../paging.ts';
import { EventStreamSchema, Named, Nullable, Timestamp } from '../schema.ts';

const NullableText = Nullable(Type.String());
const OpenObject = Type.Object({}, { additionalProperties: true });
const Nodes = Type.Array(Node);
const Edges = Type.Array(Edge);

const Issue = Named('LintIssue', 'An issue that the lint found', {
  severity: Type.Enum(['error', 'warning']),
  code: Type.String(),
  nodeId: Type.Optional(Type.String()),
  edgeId: Type.Optional(Type.String()),
  path: Type.Optional(Type.String({ description: 'JSON pointer into { nodes, edges }' })),
  port: Type.Optional(Type.String({ description: 'The id of an input of the node' })),
  message: Type.String(),
  suggestion: Type.Optional(Type.String()),
});

const Truncation = {
  truncated: Type.Optional(Type.Literal(true, { description: 'Not all issues are listed' })),
  total: Type.Optional(Type.Integer({ description: 'With truncated: the number of issues' })),
};

const Meta = Named('WriteMeta', 'Lint results of the written graph', {
  warnings: Type.Array(Type.String()),
  issues: Type.Array(Issue, { description: 'Lint issues, at most 500' }),
  ...Truncation,
});

const ListMembers = {
  id: Type.String(),
  name: Type.String(),
  description: NullableText,
  webhookId: Type.Optional(NullableText),
  webhookUrl: Type.Optional(NullableText),
  isActive: Type.Boolean(),
  isPublished: Type.Boolean(),
  tags: Type.Array(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const Workflow = Named('Workflow', 'A graph with its settings, as this reader may see it', {
  ...ListMembers,
  userId: Type.Integer(),
  teamId: NullableText,
  folderId: NullableText,
  linkPermission: Type.Enum(LINK_PERMISSIONS),
  publishedSlug: NullableText,
  publishedAt: Nullable(Timestamp),
  publishSettings: Nullable(OpenObject),
  poster: NullableText,
  media: Nullable(OpenObject),
  secrets: Nullable(OpenObject),
  views: Type.Integer(),
  dailyCreditBudget: Type.Optional(Nullable(Type.Integer())),
  executionEngine: Type.Optional(Type.Literal('standard')),
  lastEditorHeartbeatAt: Type.Optional(Nullable(Timestamp)),
  isOwner: Type.Boolean(),
  canEdit: Type.Boolean(),
  canDuplicate: Type.Boolean(),
  userRole: Type.Enum(['OWNER', 'EDITOR', 'VIEWER', 'ANONYMOUS']),
  nodes: Nodes,
  edges: Edges,
  meta: Type.Optional(Meta),
});

/** The additional members of a list with `include=card`. */
const Card = {
  userId: Type.Optional(Type.Integer()),
  teamId: Type.Optional(NullableText),
  folderId: Type.Optional(NullableText),
  linkPermission: Type.Optional(Type.Enum(['PRIVATE', 'VIEW', 'DUPLICATE'])),
  publishedSlug: Type.Optional(NullableText),
  poster: Type.Optional(NullableText),
  isOwner: Type.Optional(Type.Boolean()),
  canEdit: Type.Optional(Type.Boolean()),
  userRole: Type.Optional(Type.Enum(['OWNER', 'EDITOR', 'VIEWER'])),
  callerCount: Type.Optional(
    Type.Integer({ description: 'The number of workflows that call it as a component' }),
  ),
  lastExecution: Type.Optional(
    Nullable(
      Type.Object({
        id: Type.String(),
        status: Type.Enum(EXECUTION_STATUSES),
        createdAt: Timestamp,
        finishedAt: Nullable(Timestamp),
      }),
    ),
  ),
};

/** The additional members of a list with `shared=true`. */
const Share = {
  sharedBy: Type.Optional(
    Type.Object(
      { userId: Type.Integer(), name: Type.String() },
      { description: 'Who shared it with you. For old shares, who created it' },
    ),
  ),
  sharedAt: Type.Optional(Timestamp),
  isNew: Type.Optional(Type.Boolean({ description: 'Whether you have not opened it yet' })),
};

export const WorkflowList = Type.Array(
  Named('WorkflowListItem', 'A workflow without its graph', {
    ...ListMembers,
    executionCount: Type.Integer(),
    lastExecutedAt: Nullable(Timestamp),
    ...Card,
    ...Share,
  }),
);

export const LintReport = Named('LintReport', 'Whether a graph could be stored, and its lint issues', {
  ok: Type.Boolean(),
  issues: Type.Array(Issue, { description: 'At most 500' }),
  ...Truncation,
});

const Position = Type.Object({ x: Type.Number(), y: Type.Number() });
export const LayoutReport = Named('LayoutReport', 'The moved nodes', {
  id: Type.String(),
  updatedAt: Timestamp,
  moved: Type.Array(Type.Object({ id: Type.String(), position: Position })),
  groups: Type.Array(
    Type.Object({
      id: Type.String(),
      position: Position,
      width: Type.Number(),
      height: Type.Number(),
      childNodeIds: Type.Array(Type.String()),
    }),
  ),
  meta: Type.Object({ warnings: Type.Array(Type.String()) }),
});

const VersionHead = {
  version: Type.Integer(),
  userId: Type.Integer({ description: 'Author of the version' }),
  userName: Type.String({ description: 'Name of the author' }),
  createdAt: Timestamp,
  isCurrent: Type.Boolean(),
  isPublished: Type.Boolean({ description: 'Whether it is the public version' }),
};
export const VersionPage = PageSchema(Named('VersionListItem', 'A version without its graph', VersionHead));
export const Version = Named('Version', 'A version with its graph', {
  ...VersionHead,
  workflowId: Type.String(),
  nodes: Nodes,
  edges: Edges,
});

export const Heartbeat = Named('Heartbeat', 'The time until which the board counts as open', {
  lastEditorHeartbeatAt: Timestamp,
  heldUntil: Timestamp,
});

const WORKFLOW_EVENTS = {
  changed: Named('WorkflowChangedEvent', 'The current state of the workflow', {
    event: Type.Literal('changed'),
    data: Type.Object({
      version: Type.Integer(),
      updatedAt: Timestamp,
      userId: Nullable(Type.Integer({ description: 'Author of the last write' })),
      sessionId: Nullable(Type.String({ description: 'Session of the last write; null without a session' })),
    }),
  }),
  presence: Named('PresenceEvent', 'The current viewers of the workflow', {
    event: Type.Literal('presence'),
    data: Type.Object({
      users: Type.Array(
        Type.Object({
          userId: Type.Integer(),
          name: Type.String(),
          sessions: Type.Integer({ description: 'Number of open streams' }),
          selected: Type.Array(Type.String(), { description: 'IDs of the selected nodes' }),
        }),
      ),
    }),
  }),
};

/** The events of a workflow's stream, by name. */
export const WorkflowEventStream = EventStreamSchema(
  'WorkflowEvent',
  'One server-sent event of a workflow, with its fields `event` and `data`',
  WORKFLOW_EVENTS,
);

export const RestoredWorkflow = Named('RestoredWorkflow', 'A workflow that was deleted', {
  id: Type.String(),
  name: Type.String(),
  userId: Type.Integer(),
  restored: Type.Boolean(),
});

export const Deleted = Type.Object({ success: Type.Literal(true) });
