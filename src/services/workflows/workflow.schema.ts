// Defines the request schemas of workflows, which validate, document and type requests.
import { type Static, Type } from 'typebox';
import { EXECUTION_STATUSES } from '../../store/executions.ts';
import { LINK_PERMISSIONS } from '../../store/workflows/workflows.ts';
import { EdgeInput, NodeInput } from '../graph.schema.ts';
import { ArrayQuery } from '../paging.ts';
import { Exact, Id, IdParams, Named, NamedExact, Nullable, PositiveInteger } from '../schema.ts';
import { OPERATIONS } from './edit-operations.ts';

const MAX_NAME = 200;
const MAX_DESCRIPTION = 10_000;
const MAX_TAGS = 50;

export const WorkflowParams = IdParams('Workflow ID, `wf_…`');

export const Name = Type.String({ minLength: 1, maxLength: MAX_NAME });
export const Description = Nullable(Type.String({ maxLength: MAX_DESCRIPTION }));
export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: MAX_TAGS });
const NullableText = Nullable(Type.String({ maxLength: 2048 }));
const FolderId = Nullable(Id('Folder ID, `fld_…`; null for no folder'));
const NodeIds = Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 10_000 });
// graph/parse and graph/lint validate nodes and edges, with better messages than a schema.
export const Nodes = Type.Unsafe<unknown>({ 'x-schema': Type.Array(NodeInput) });
export const Edges = Type.Unsafe<unknown>({ 'x-schema': Type.Array(EdgeInput) });
const SecretValue = Type.String({ maxLength: 10_000 });
const Secrets = Nullable(
  Type.Record(
    Type.String(),
    Type.Union([
      SecretValue,
      Exact({
        value: SecretValue,
        hosts: Type.Array(Type.String({ minLength: 1, maxLength: 260 }), {
          minItems: 1,
          maxItems: 20,
          description: 'Hosts that may receive it in requests, e.g. api.example.com, *.example.org:8443',
        }),
      }),
    ]),
    {
      maxProperties: 100,
      description:
        'Values by name, for {{secrets.NAME}} in configs; only the creator may read and write them. Without hosts, a secret is sent only in runs that the creator starts',
    },
  ),
);
const AutoLayout = Type.Boolean({ description: 'False to keep the coordinates as sent' });

export const CreateWorkflowBody = Named('WorkflowInput', 'The workflow to create', {
  name: Name,
  description: Type.Optional(Description),
  nodes: Nodes,
  edges: Edges,
  tags: Type.Optional(Tags),
  isActive: Type.Optional(Type.Boolean({ default: true })),
  webhookId: Type.Optional(NullableText),
  mediaId: Type.Optional(NullableText),
  folderId: Type.Optional(FolderId),
  secrets: Type.Optional(Secrets),
  autoLayout: Type.Optional(AutoLayout),
  id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'ID of an existing workflow to replace',
    }),
  ),
});
export type CreateWorkflowBody = Static<typeof CreateWorkflowBody>;

export const UpdateWorkflowBody = Named('WorkflowChanges', 'The fields of a workflow to change', {
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  nodes: Type.Optional(Nodes),
  edges: Type.Optional(Edges),
  tags: Type.Optional(Tags),
  isActive: Type.Optional(Type.Boolean()),
  webhookId: Type.Optional(NullableText),
  webhookUrl: Type.Optional(NullableText),
  folderId: Type.Optional(FolderId),
  autoLayout: Type.Optional(AutoLayout),
  secrets: Type.Optional(Secrets),
  poster: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 2048,
        description:
          'The current poster, or another image of a run, to pin it. Omit the field to use the newest image of a run',
      }),
    ),
  ),
  updatedAt: Type.Optional(
    Type.Unknown({
      description: 'The value that you read, to detect that someone else changed the workflow since',
    }),
  ),
  baseUpdatedAt: Type.Optional(Type.Unknown({ description: 'Same as updatedAt' })),
});
export type UpdateWorkflowBody = Static<typeof UpdateWorkflowBody>;

/** The query of writes that can change the graph. */
export const GraphWriteQuery = Type.Object({
  breakApp: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'True to save a graph that breaks the app of the workflow, which then cannot run',
    }),
  ),
});

/** The parts that an operation needs depend on `op`; its error names a missing part. */
const Operation = Exact({
  op: Type.Enum(OPERATIONS),
  nodeId: Type.Optional(
    Type.String({ maxLength: 1000, description: 'Without it, `rename` renames the workflow' }),
  ),
  nodeType: Type.Optional(
    Type.String({ maxLength: 200, description: 'For `add_node` and `replace_node_type`' }),
  ),
  label: Type.Optional(Type.String({ maxLength: 200 })),
  config: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        '`set_config` merges these fields. null restores the default, unless the field accepts null',
    }),
  ),
  edge: Type.Optional(
    Type.String({
      maxLength: 3000,
      description:
        'For `connect` and `disconnect`: `node.port -> node.port`, such as `idea.text -> picture.prompt`',
    }),
  ),
});

export const WorkflowEditBody = NamedExact(
  'WorkflowEditRequest',
  'Changes of nodes and edges. If one operation fails, none is applied',
  {
    operations: Type.Array(Operation, { minItems: 1, maxItems: 100 }),
    arrange: Type.Optional(Type.Boolean({ description: 'Lay out the whole board again' })),
  },
);

export const UpdateWorkflowQuery = Type.Object({
  ...GraphWriteQuery.properties,
  autosave: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'True for an autosave. Consecutive autosaves of a session within 10 minutes share a version',
    }),
  ),
});

export type DeleteWorkflowQuery = Static<typeof DeleteWorkflowQuery>;
export const DeleteWorkflowQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'True to delete it even if other workflows call it as a component. They can then no longer run',
    }),
  ),
});

export const ListWorkflowsQuery = Type.Object({
  isActive: Type.Optional(Type.Enum(['true', 'false'])),
  mediaId: Type.Optional(Type.String({ maxLength: 64 })),
  teamId: Type.Optional(
    Type.String({ maxLength: 64, description: 'List the workflows of this team instead of your own' }),
  ),
  shared: Type.Optional(
    Type.Boolean({
      description:
        'True to list the workflows that others have shared with you instead of your own, except those of your teams. Adds who shared each one',
    }),
  ),
  query: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name, the description or a tag' }),
  ),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  folderId: Type.Optional(
    Type.String({ maxLength: 64, description: '`fld_…`, or `root` for workflows without a folder' }),
  ),
  isPublished: Type.Optional(Type.Enum(['true', 'false'])),
  isComponent: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'True to list only workflows that other workflows use as a component, false to list only the rest',
    }),
  ),
  callableFrom: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'ID of a workflow. Only workflows that this workflow can call as components without a cycle are listed',
    }),
  ),
  status: Type.Optional(
    Type.Enum([...EXECUTION_STATUSES, 'NONE'], {
      description: 'Status of the last run; NONE for workflows that never ran',
    }),
  ),
  include: Type.Optional(
    Type.Enum(['card'], {
      description: 'card adds poster, last run, folder, team, your role and the number of callers',
    }),
  ),
  ...ArrayQuery.properties,
});
export type ListWorkflowsQuery = Static<typeof ListWorkflowsQuery>;

export const GraphBody = Named('GraphInput', 'A graph that is not stored', {
  nodes: Nodes,
  edges: Edges,
});
/** The parts of the stored graph that are replaced before the lint. */
export const LintOverridesBody = Type.Object({
  nodes: Type.Optional(Nodes),
  edges: Type.Optional(Edges),
});

export const LayoutBody = Exact({
  scope: Type.Optional(NodeIds),
  direction: Type.Optional(Type.Enum(['RIGHT', 'DOWN'])),
});
export type LayoutBody = Static<typeof LayoutBody>;

export const SelectionBody = Exact({
  nodeIds: Type.Array(Type.String({ maxLength: 200 }), {
    maxItems: 20,
    description: 'Empty to clear the selection',
  }),
});
export type SelectionBody = Static<typeof SelectionBody>;

export const VisibilityBody = Exact({ linkPermission: Type.Enum(LINK_PERMISSIONS) });

export const SLUG_PATTERN = '^[a-z0-9-]{3,80}$';

export const PublishBody = Exact({
  isPublished: Type.Boolean(),
  slug: Type.Optional(
    Type.String({
      pattern: SLUG_PATTERN,
      description: 'Default: the current slug, or one made from the name',
    }),
  ),
  settings: Type.Optional(
    Exact({
      title: Type.Optional(Type.String({ maxLength: MAX_NAME })),
      description: Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION })),
      category: Type.Optional(Type.String({ maxLength: 100 })),
      allowDuplicate: Type.Optional(Type.Boolean()),
      exposedInputs: Type.Optional(NodeIds),
      isTemplate: Type.Optional(Type.Boolean({ description: 'Whether it is listed as a template' })),
      showResults: Type.Optional(
        Type.Boolean({
          description: 'Whether the published page shows results of the newest run of the current graph',
        }),
      ),
    }),
  ),
});
export type PublishBody = Static<typeof PublishBody>;

export const BudgetBody = Exact({
  dailyCreditBudget: Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
});

export const DuplicateBody = Exact({
  name: Type.Optional(Name),
  folderId: Type.Optional(FolderId),
});
export type DuplicateBody = Static<typeof DuplicateBody>;

export const VersionParams = Type.Object({
  ...WorkflowParams.properties,
  version: PositiveInteger(),
});

export const SlugParams = Type.Object({ slug: Type.String({ maxLength: 100 }) });
