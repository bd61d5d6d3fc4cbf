// Defines the schema of the workflow files that exports return and imports accept.
import { type Static, Type } from 'typebox';
import { MAX_COMPONENTS } from '../components/exported-components.ts';
import { Edge, Node } from '../graph.schema.ts';
import { MAX_EXPORTED_MEDIA } from '../media/exported-media.ts';
import { Hints } from '../media/media.schema.ts';
import { Named, Nullable, PositiveInteger, Timestamp } from '../schema.ts';
import { Description, Edges, Name, Nodes, Tags } from './workflow.schema.ts';

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

export const ImportBody = Named('WorkflowFileInput', 'The response of GET /workflows/{id}/export', {
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
});
export type ImportBody = Static<typeof ImportBody>;

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
