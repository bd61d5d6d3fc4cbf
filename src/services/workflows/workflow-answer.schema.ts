// The forms of answers about workflows, for the OpenAPI document.
import { Type } from 'typebox';
import { pageOf } from '../paging.ts';
import { Answer, Nullable } from './workflow.schema.ts';

export const Timestamp = Type.String({ format: 'date-time' });
const Text = Nullable(Type.String());
export const Open = Type.Object({}, { additionalProperties: true });

const Issue = Type.Object({
  severity: Type.Enum(['error', 'warning']),
  code: Type.String(),
  nodeId: Type.Optional(Type.String()),
  edgeId: Type.Optional(Type.String()),
  path: Type.Optional(Type.String({ description: 'JSON pointer into { nodes, edges }' })),
  message: Type.String(),
  suggestion: Type.Optional(Type.String()),
});

const Meta = Type.Object({
  warnings: Type.Array(Type.String()),
  issues: Type.Array(Issue, { description: 'Findings of the lint' }),
});

const Listed = {
  id: Type.String(),
  name: Type.String(),
  description: Text,
  webhookId: Text,
  webhookUrl: Text,
  isActive: Type.Boolean(),
  isPublished: Type.Boolean(),
  tags: Type.Array(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const Workflow = Answer(
  Type.Object({
    ...Listed,
    userId: Type.Integer(),
    teamId: Text,
    folderId: Text,
    linkPermission: Type.Enum(['PRIVATE', 'VIEW', 'DUPLICATE']),
    publishedSlug: Text,
    publishedAt: Nullable(Timestamp),
    publishSettings: Nullable(Open),
    poster: Text,
    media: Nullable(Open),
    secrets: Nullable(Open),
    views: Type.Integer(),
    dailyCreditBudget: Nullable(Type.Integer()),
    executionEngine: Type.Literal('standard'),
    lastEditorHeartbeatAt: Nullable(Timestamp),
    isOwner: Type.Boolean(),
    canEdit: Type.Boolean(),
    canDuplicate: Type.Boolean(),
    userRole: Type.Enum(['OWNER', 'EDITOR', 'VIEWER', 'ANONYMOUS']),
    nodes: Type.Array(Open),
    edges: Type.Array(Open),
    meta: Type.Optional(Meta),
  }),
);

export const WorkflowList = Answer(
  Type.Array(
    Type.Object({
      ...Listed,
      executionCount: Type.Integer(),
      lastExecutedAt: Nullable(Timestamp),
    }),
  ),
);

export const LintReport = Answer(Type.Object({ ok: Type.Boolean(), issues: Type.Array(Issue) }));

const Position = Type.Object({ x: Type.Number(), y: Type.Number() });
export const LayoutReport = Answer(
  Type.Object({
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
  }),
);

const VersionHead = {
  version: Type.Integer(),
  userId: Type.Integer({ description: 'Who wrote it' }),
  createdAt: Timestamp,
  isCurrent: Type.Boolean(),
  isPublished: Type.Boolean({ description: 'The one that the public sees' }),
};
export const VersionPage = Answer(pageOf(Type.Object(VersionHead)));
export const Version = Answer(
  Type.Object({
    ...VersionHead,
    workflowId: Type.String(),
    nodes: Type.Array(Open),
    edges: Type.Array(Open),
  }),
);

export const Heartbeat = Answer(Type.Object({ lastEditorHeartbeatAt: Timestamp, heldUntil: Timestamp }));

export const TemplatePage = Answer(
  pageOf(
    Type.Object({
      id: Type.String({ description: '`tpl_…`' }),
      workflowId: Type.String(),
      slug: Text,
      title: Type.String(),
      description: Text,
      category: Text,
      tags: Type.Array(Type.String()),
      poster: Text,
      views: Type.Integer(),
      canDuplicate: Type.Boolean(),
      isOwner: Type.Boolean(),
      isPublished: Type.Boolean(),
      publishedAt: Nullable(Timestamp),
    }),
  ),
);

export const RestoredWorkflow = Answer(
  Type.Object({ id: Type.String(), name: Type.String(), userId: Type.Integer(), restored: Type.Boolean() }),
);

export const Deleted = Answer(Type.Object({ success: Type.Literal(true) }));
