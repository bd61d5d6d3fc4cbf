// A tool that lists templates, the quickest way to a workflow that runs.
import { Type } from 'typebox';
import { listTemplatePage, readTemplateGraph, type Template } from '../../runs/templates.ts';
import { Exact } from '../../services/schema.ts';
import type { Caller } from '../caller.ts';
import { RENDERER } from '../graph-form.ts';
import { Anything, Cursor, defineTool, Limit, OutputSchema, READS } from '../tool.ts';

const DEFAULT_LIMIT = 10;

export const listTemplatesTool = defineTool({
  name: 'list_templates',
  title: 'List templates',
  description: 'Workflows that can be cloned, newest first, with their prices.',
  scope: 'workflows:read',
  hints: READS,
  input: Exact({
    query: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    category: Type.Optional(Type.String({ maxLength: 100 })),
    limit: Limit(50),
    cursor: Cursor,
  }),
  output: OutputSchema({ templates: Type.Array(Anything()), nextCursor: Type.String(), note: Type.String() }),
  narrow: 'Use a query or a smaller limit.',
  call: async (caller, { limit = DEFAULT_LIMIT, ...query }) => {
    const { deps, actor } = caller;
    const page = await listTemplatePage(deps, actor, { limit, ...query });
    const templates: object[] = [];
    for (const template of page.data) templates.push(await presentTemplate(caller, template));
    return { data: { templates, nextCursor: page.nextCursor ?? undefined } };
  },
});

async function presentTemplate({ deps, actor }: Caller, template: Template) {
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
