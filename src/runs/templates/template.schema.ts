// Defines the request and response schemas of templates.
import { type Static, Type } from 'typebox';
import { Edge, Node } from '../../services/graph.schema.ts';
import { PageQuery, PageSchema } from '../../services/paging.ts';
import { Named, Nullable, Timestamp } from '../../services/schema.ts';
import { SHELVES } from './template-files.ts';

const NullableText = Nullable(Type.String());

export const TemplatesQuery = Type.Object({
  shelf: Type.Optional(
    Type.Enum(SHELVES, { description: 'Only shipped templates in this section of the gallery' }),
  ),
  query: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Words of the title, description, category or tags, in any order',
    }),
  ),
  runsNow: Type.Optional(
    Type.Boolean({ description: 'Only templates whose nodes can all run in this service' }),
  ),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  ...PageQuery.properties,
});
export type TemplatesQuery = Static<typeof TemplatesQuery>;

export const TemplateParams = Type.Object({
  id: Type.String({ maxLength: 100, description: 'Template ID, `tpl_…`' }),
});

export const TemplateFileParams = Type.Object({
  ...TemplateParams.properties,
  file: Type.String({ maxLength: 80, description: 'The name of a sample file, or card.webp' }),
});

const TEMPLATE = {
  id: Type.String({ description: '`tpl_…`' }),
  source: Type.Enum(['shipped', 'published'], {
    description: 'A file of the service, or a published workflow',
  }),
  workflowId: Nullable(Type.String({ description: 'Null for shipped templates' })),
  slug: NullableText,
  title: Type.String(),
  description: NullableText,
  shelf: Nullable(Type.Enum(SHELVES)),
  category: NullableText,
  tags: Type.Array(Type.String()),
  card: Nullable(Type.String({ description: 'The picture of its card' })),
  poster: NullableText,
  preview: Nullable(
    Type.Object(
      { url: Type.String({ format: 'uri' }), contentType: Type.String() },
      { description: 'The newest video of its runs, if the publisher shows results' },
    ),
  ),
  nodeCount: Type.Integer({ description: 'Without notes and groups' }),
  needs: Type.Array(Type.String(), { description: 'The providers that its nodes need, such as fal' }),
  runsNow: Type.Boolean({
    description:
      'Whether every node can run in this service, and the credits of your active workspace cover `credits`',
  }),
  needsCredits: Type.Boolean({ description: 'Whether it could run if your active workspace had `credits`' }),
  hasSample: Type.Boolean({ description: 'Whether copies include recorded results' }),
  credits: Nullable(
    Type.Integer({
      description: 'Credits for a run with the stored inputs; null if it cannot run unchanged',
    }),
  ),
  creditsExact: Type.Boolean({
    description: 'False if a price or a number of calls is known only at run time',
  }),
  views: Type.Integer(),
  canDuplicate: Type.Boolean(),
  isOwner: Type.Boolean(),
  isPublished: Type.Boolean(),
  publishedAt: Nullable(Timestamp),
};

export const TemplatePage = PageSchema(Named('Template', 'A workflow to start from', TEMPLATE));

export const TemplateDetail = Named('TemplateDetail', 'A template with its graph and recorded results', {
  ...TEMPLATE,
  nodes: Type.Array(Node),
  edges: Type.Array(Edge),
  sample: Nullable(
    Type.Object(
      { nodeStates: Type.Array(Type.Object({}, { additionalProperties: true })) },
      { description: 'The recorded results, as the node states of an execution' },
    ),
  ),
});
