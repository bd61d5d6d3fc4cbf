// Defines the tool that publishes or unpublishes a workflow.
import { Type } from 'typebox';
import { getPublishedPath } from '../../pages/workflow-drawing.ts';
import { Exact } from '../../services/schema.ts';
import { publishWorkflow } from '../../services/workflows/publish-workflow.ts';
import { getViewForReading } from '../../services/workflows/read-workflow.ts';
import { type PublishBody, SLUG_PATTERN } from '../../services/workflows/workflow.schema.ts';
import { getWorkflowPageUrl } from '../agent-graph.ts';
import { defineTool, Id, OutputSchema } from '../tool.ts';

export const publishWorkflowTool = defineTool({
  name: 'publish_workflow',
  title: 'Publish workflow',
  description: 'Publish the current version at a public URL, or unpublish it. Ask the user first.',
  scope: 'workflows:write',
  hints: { destructiveHint: true, openWorldHint: true },
  input: Exact({
    workflowId: Id(),
    published: Type.Boolean(),
    slug: Type.Optional(Type.String({ pattern: SLUG_PATTERN })),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    exposedInputs: Type.Optional(
      Type.Array(Id(), { maxItems: 1000, description: 'Input node ids that visitors may fill in' }),
    ),
  }),
  output: OutputSchema({
    url: Type.String(),
    slug: Type.String(),
    version: Type.Integer(),
    published: Type.Boolean(),
    note: Type.String(),
  }),
  tooLongHint: '',
  call: async ({ deps, actor }, { workflowId, published, slug, title, exposedInputs }) => {
    const { workflow } = await getViewForReading(deps, actor, workflowId);
    const settings = {
      ...(workflow.publish_settings as PublishBody['settings']),
      ...(title === undefined ? {} : { title }),
      ...(exposedInputs === undefined ? {} : { exposedInputs }),
    };
    const result = await publishWorkflow(deps, actor, workflowId, {
      isPublished: published,
      ...(slug === undefined ? {} : { slug }),
      ...(title === undefined && exposedInputs === undefined ? {} : { settings }),
    });
    const { publishedSlug } = JSON.parse(result.text) as { publishedSlug: string | null };
    return {
      data: {
        url:
          published && publishedSlug !== null
            ? deps.settings.BASE_URL + getPublishedPath(publishedSlug)
            : getWorkflowPageUrl(deps, workflowId),
        slug: publishedSlug ?? undefined,
        version: result.version,
        published,
      },
    };
  },
});
