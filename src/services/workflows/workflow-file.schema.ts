// Defines the schema of the workflow files that exports return and imports accept.
import { type Static, Type } from 'typebox';
import type { JsonText } from '../../lib/json-text.ts';
import { MAX_COMPONENTS } from '../components/exported-components.ts';
import { Edge, Node } from '../graph.schema.ts';
import { MAX_EXPORTED_MEDIA } from '../media/exported-media.ts';
import { Hints } from '../media/media.schema.ts';
import { Named, Nullable, PositiveInteger, Timestamp } from '../schema.ts';
import { IMPORT_FORMATS } from './import-formats.ts';
import { Description, Edges, Name, Nodes, Tags } from './workflow.schema.ts';
import { Workflow } from './workflow-response.schema.ts';

export const WORKFLOW_FORMAT = 'graphwright-workflow';

const { width, height, duration } = Hints.properties;
const ImportedFile = Type.Object({
  mediaId: Type.String({ pattern: '^med_[0-9a-hjkmnp-tv-z]{26}$', description: 'ID in the graph' }),
  url: Type.String({ pattern: '^https?://', maxLength: 2048, description: 'Downloaded if `data` is absent' }),
  name: Type.String({ maxLength: 1000 }),
  contentType: Type.String({ maxLength: 200 }),
  sha256: Type.Optional(Type.String({ maxLength: 64, description: 'Hex digits' })),
  width: Nullable(width),
  height: Nullable(height),
  duration: Nullable(duration),
  data: Type.Optional(Type.String({ description: 'Base64; at most 25 MB for all files' })),
});
export type ImportedFile = Static<typeof ImportedFile>;

const ComponentHead = {
  id: Type.String({ pattern: '^wf_[0-9a-hjkmnp-tv-z]{26}$', description: 'ID in the calls of the file' }),
  version: PositiveInteger({ description: 'Version in the calls of the file' }),
};
const IsLatest = Type.Boolean({ description: 'Whether calls of the latest version mean this one' });

const ImportedComponent = Type.Object({
  ...ComponentHead,
  isLatest: Type.Optional(IsLatest),
  name: Name,
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  nodes: Nodes,
  edges: Edges,
});
export type ImportedComponent = Static<typeof ImportedComponent>;

const ExportedFile = {
  format: Type.Optional(Type.Literal(WORKFLOW_FORMAT)),
  formatVersion: Type.Optional(Type.Literal(1)),
  name: Name,
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  nodes: Nodes,
  edges: Edges,
  components: Type.Optional(
    Type.Array(ImportedComponent, {
      maxItems: MAX_COMPONENTS,
      description: 'Workflows that the graphs call',
    }),
  ),
  media: Type.Optional(
    Type.Array(ImportedFile, { maxItems: MAX_EXPORTED_MEDIA, description: 'Files used by the graphs' }),
  ),
};
/** A file that GET /workflows/{id}/export returned. */
export const OwnImport = Type.Object(ExportedFile);
export type OwnImport = Static<typeof OwnImport>;

export const ImportBody = Named(
  'WorkflowFileInput',
  'The response of GET /workflows/{id}/export, or `source` or `mediaId` of a file of ComfyUI',
  {
    ...Type.Partial(OwnImport).properties,
    source: Type.Optional(
      Type.Unsafe<JsonText | string>(
        Type.Unknown({
          description: 'The file, as JSON or as text: an export, or a workflow of ComfyUI or fal',
        }),
      ),
    ),
    mediaId: Type.Optional(
      Type.String({ maxLength: 100, description: 'A PNG or WebP image that contains a graph of ComfyUI' }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'With `source` or `mediaId`: only report what would be imported' }),
    ),
  },
);
export type ImportBody = Static<typeof ImportBody>;

export const ExportQuery = Type.Object({
  format: Type.Optional(
    Type.Enum(['graphwright', 'comfyui'], {
      description: '`comfyui`: the graph of a `comfyui:workflow` node, with the current values',
    }),
  ),
  node: Type.Optional(
    Type.String({ maxLength: 1000, description: 'With `comfyui`: the node. Default: the first one' }),
  ),
});

export const ComfyFile = Type.Object(
  {},
  {
    title: 'ComfyUiFile',
    description: 'A graph for ComfyUI: the imported file with the current values, or the graph in API format',
    additionalProperties: true,
  },
);

const ImportReport = Named('ImportReport', 'What became of the nodes of an imported file', {
  format: Type.Enum(IMPORT_FORMATS),
  nodes: Type.Array(
    Type.Object({
      source: Type.String({ description: 'ID in the file; a path such as `20:3` in a subgraph' }),
      sourceType: Type.String(),
      outcome: Type.Enum(['mapped', 'wrapped', 'kept', 'dropped'], {
        description:
          '`mapped`: became a node of its own; `wrapped`: part of a `comfyui:workflow` node; `kept`: unchanged; `dropped`: see `message`',
      }),
      nodeId: Type.Optional(Type.String({ description: 'The node that has it; absent if dropped' })),
      message: Type.Optional(Type.String()),
    }),
  ),
  counts: Type.Object({
    mapped: Type.Integer(),
    wrapped: Type.Integer(),
    kept: Type.Integer(),
    dropped: Type.Integer(),
  }),
});

export const ImportedWorkflow = Named('ImportedWorkflow', 'A workflow from a file', {
  workflow: Workflow,
  report: ImportReport,
});

export const DryImport = Named('DryImport', 'The workflow that an import would create', {
  workflow: Type.Object({ name: Type.String(), nodes: Type.Array(Node), edges: Type.Array(Edge) }),
  report: ImportReport,
});

export const ExportedWorkflow = Named('WorkflowFile', 'A workflow as one file', {
  format: Type.Literal(WORKFLOW_FORMAT),
  formatVersion: Type.Literal(1),
  exportedAt: Timestamp,
  name: Type.String(),
  description: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  nodes: Type.Array(Node),
  edges: Type.Array(Edge),
  components: Type.Optional(
    Type.Array(
      Type.Object({
        ...ComponentHead,
        isLatest: IsLatest,
        name: Type.String(),
        description: Nullable(Type.String()),
        tags: Type.Array(Type.String()),
        nodes: Type.Array(Node),
        edges: Type.Array(Edge),
      }),
      { description: 'The components that the graph calls and that you may duplicate' },
    ),
  ),
  media: Type.Array(Type.Object({ ...ImportedFile.properties, bytes: Type.Integer() })),
});
