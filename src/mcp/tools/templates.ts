// Defines the tool that lists templates, the quickest way to a workflow that runs.
import { Type } from 'typebox';
import { listTemplatePage, readTemplateGraph, type Template } from '../../runs/templates/read-templates.ts';
import { Exact } from '../../services/schema.ts';
import { RENDERER } from '../../services/workflows/graph-text.ts';
import { AnyObject, Cursor, defineTool, Limit, OutputSchema, READ_HINTS, type ToolContext } from '../tool.ts';

const DEFAULT_LIMIT = 10;

export const listTemplatesTool = defineTool({
  name: 'list_templates',
  title: 'List templates',
  description: 'Workflows that can be cloned, newest first, with their prices.',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({
    query: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    category: Type.Optional(Type.String({ maxLength: 100 })),
    limit: Limit(50),
    cursor: Cursor,
  }),
  output: OutputSchema({
    templates: Type.Array(AnyObject()),
    nextCursor: Type.String(),
    note: Type.String(),
  }),
  tooLongHint: 'Use a query or a smaller limit.',
  call: async (ctx, { limit = DEFAULT_LIMIT, ...query }) => {
    const { deps, actor } = ctx;
    const page = await listTemplatePage(deps, actor, { limit, ...query });
    const templates: object[] = [];
    for (const template of page.data) templates.push(await presentTemplate(ctx, template));
    return { data: { templates, nextCursor: page.nextCursor ?? undefined } };
  },
});

async function presentTemplate({ deps, actor }: ToolContext, template: Template) {
  const { nodes } = await readTemplateGraph(deps, actor, template.id);
  return {
    id: template.id,
    name: template.title,
    description: template.description ?? undefined,
    category: template.category ?? undefined,
    credits: template.credits ?? undefined,
    usesRenderer: nodes.some(({ data }) => data.nodeType === RENDERER.nodeType),
    needs: template.needs,
    runsNow: template.runsNow,
    hasSample: template.hasSample,
  };
}
