// The forms of workflow requests and answers: they validate, document, and type.

import type { Static, TSchema } from 'typebox';
import { Type } from 'typebox';

const MAX_NAME = 200;
const MAX_DESCRIPTION = 10_000;
const MAX_TAGS = 50;

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** An answer's schema: it documents only, what is sent is the service's to say. */
export const Answer = (schema: TSchema) => Type.Unsafe<unknown>(schema);

export const WorkflowId = Type.Object({
  id: Type.String({ maxLength: 64, description: 'Workflow id, `wf_…`' }),
});

const Name = Type.String({ minLength: 1, maxLength: MAX_NAME });
const Description = Nullable(Type.String({ maxLength: MAX_DESCRIPTION }));
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: MAX_TAGS });
const ShortText = Nullable(Type.String({ maxLength: 2048 }));
// Checked by graph/parse and graph/lint, which say more than a schema can.
const Nodes = Type.Unknown({
  description: 'Node[]: {id, type, position, data: {label, category, nodeType, config?, inputs?, outputs?}}',
});
const Edges = Type.Unknown({ description: 'Edge[]: {id, source, target, sourceHandle?, targetHandle?}' });

export const CreateWorkflowBody = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  nodes: Nodes,
  edges: Edges,
  tags: Type.Optional(Tags),
  isActive: Type.Optional(Type.Boolean({ default: true })),
  webhookId: Type.Optional(ShortText),
  mediaId: Type.Optional(ShortText),
});
export type CreateWorkflowBody = Static<typeof CreateWorkflowBody>;

export const UpdateWorkflowBody = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  nodes: Type.Optional(Nodes),
  edges: Type.Optional(Edges),
  tags: Type.Optional(Tags),
  isActive: Type.Optional(Type.Boolean()),
  webhookId: Type.Optional(ShortText),
  webhookUrl: Type.Optional(ShortText),
});
export type UpdateWorkflowBody = Static<typeof UpdateWorkflowBody>;

export const ListWorkflowsQuery = Type.Object({
  isActive: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  mediaId: Type.Optional(Type.String({ maxLength: 64 })),
  teamId: Type.Optional(Type.String({ maxLength: 64 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type ListWorkflowsQuery = Static<typeof ListWorkflowsQuery>;

const Timestamp = Type.String({ format: 'date-time' });

export const WorkflowList = Answer(
  Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      description: Nullable(Type.String()),
      webhookId: Nullable(Type.String()),
      webhookUrl: Nullable(Type.String()),
      isActive: Type.Boolean(),
      isPublished: Type.Boolean(),
      executionCount: Type.Integer(),
      lastExecutedAt: Nullable(Timestamp),
      tags: Type.Array(Type.String()),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    }),
  ),
);
