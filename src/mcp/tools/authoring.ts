// Defines the tools that create and change workflows: in a single call, by operations, node by node, or from templates.
import { Type } from 'typebox';
import { toTruncation } from '../../graph/issues.ts';
import type { Graph } from '../../graph/types.ts';
import { duplicateTemplate } from '../../runs/templates/duplicate-template.ts';
import { Exact } from '../../services/schema.ts';
import { editGraph } from '../../services/workflows/change-workflow.ts';
import { createWorkflow } from '../../services/workflows/create-workflow.ts';
import { applyOperations, OPERATIONS } from '../../services/workflows/edit-operations.ts';
import { editWorkflow } from '../../services/workflows/edit-workflow.ts';
import type { PresentedWorkflow } from '../../services/workflows/present-workflow.ts';
import { estimatePrice, getWorkflowPageUrl, presentIssues, TRUNCATION, toGraph } from '../agent-graph.ts';
import {
  ADD_HINTS,
  AnyObject,
  CHANGE_HINTS,
  defineTool,
  Id,
  OneOf,
  OutputSchema,
  type ToolContext,
  type ToolOutput,
} from '../tool.ts';
import { EDGES, NODES } from './arguments.ts';

const WRITE_OUTPUT = OutputSchema({
  id: Type.String(),
  version: Type.Integer(),
  issues: Type.Array(AnyObject()),
  ...TRUNCATION,
  estimate: AnyObject('credits, exact'),
  url: Type.String(),
  note: Type.String(),
});
const BREAK_APP = Type.Optional(Type.Boolean({ description: 'Save even if the app of the workflow breaks' }));
const TOO_LONG_HINT = 'check_workflow lists the issues.';

export const createWorkflowTool = defineTool({
  name: 'create_workflow',
  title: 'Create workflow',
  description:
    'Create a workflow from nodes and edges. It is linted, priced and laid out. Look for a template first.',
  scope: 'workflows:write',
  hints: ADD_HINTS,
  input: Exact({
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    nodes: NODES,
    edges: EDGES,
  }),
  output: WRITE_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async (ctx, { name, description, nodes, edges }) => {
    const body = {
      name,
      ...(description === undefined ? {} : { description }),
      ...toGraph(ctx.deps, nodes, edges),
    };
    const created = await createWorkflow(ctx.deps, ctx.actor, body, { autoLayout: 'always' });
    return presentWritten(ctx, created.id, created);
  },
});

export const editWorkflowTool = defineTool({
  name: 'edit_workflow',
  title: 'Edit workflow',
  description:
    'Change nodes and edges. If one operation fails, none is applied. `rename` without nodeId renames the workflow. null in config restores the default of a field, unless the field accepts null. `connect` replaces the edge at its input, unless the input takes a list.',
  scope: 'workflows:write',
  hints: CHANGE_HINTS,
  input: Exact({
    workflowId: Id(),
    baseVersion: Type.Integer({ minimum: 1, description: 'The version that you read' }),
    operations: Type.Array(
      Exact({
        op: OneOf(OPERATIONS),
        nodeId: Type.Optional(Id()),
        nodeType: Type.Optional(Id()),
        label: Type.Optional(Type.String({ maxLength: 200 })),
        config: Type.Optional(AnyObject()),
        edge: Type.Optional(Type.String({ maxLength: 600 })),
      }),
      { minItems: 1, maxItems: 100 },
    ),
    arrange: Type.Optional(Type.Boolean({ description: 'Lay out the whole board again' })),
    breakApp: BREAK_APP,
  }),
  output: WRITE_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async (ctx, { workflowId, baseVersion, operations, arrange, breakApp: mayBreakApp }) => {
    const edit = { baseVersion, operations, arrange, mayBreakApp };
    const edited = await editWorkflow(ctx.deps, ctx.actor, workflowId, edit);
    return presentWritten(ctx, workflowId, edited);
  },
});

export const updateConfigTool = defineTool({
  name: 'update_workflow_config',
  title: 'Set config',
  description: 'Set config fields of nodes. Other fields stay unchanged. Cannot change video:renderer nodes.',
  scope: 'workflows:write',
  hints: { ...CHANGE_HINTS, idempotentHint: true },
  input: Exact({
    workflowId: Id(),
    changes: Type.Array(Exact({ nodeId: Id(), config: AnyObject() }), {
      minItems: 1,
      maxItems: 100,
    }),
    baseVersion: Type.Optional(Type.Integer({ minimum: 1 })),
    breakApp: BREAK_APP,
  }),
  output: WRITE_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async (ctx, { workflowId, changes, baseVersion, breakApp: mayBreakApp }) => {
    const { catalog } = ctx.deps;
    const operations = changes.map(change => ({ op: 'set_config' as const, ...change }));
    const edited = await editGraph(ctx.deps, ctx.actor, workflowId, {
      baseVersion,
      mayBreakApp,
      change: graph => applyOperations(catalog, graph, { operations, path: '/changes' }),
    });
    return presentWritten(ctx, workflowId, edited);
  },
});

export const cloneTemplateTool = defineTool({
  name: 'clone_template',
  title: 'Clone template',
  description: 'Copy a template to your own workflows.',
  scope: 'workflows:write',
  hints: ADD_HINTS,
  input: Exact({ templateId: Id(), name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }),
  output: WRITE_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async (ctx, { templateId, name }) => {
    const created = await duplicateTemplate(ctx.deps, ctx.actor, templateId, {
      body: name === undefined ? {} : { name },
      signal: ctx.signal,
    });
    return presentWritten(ctx, created.id, created);
  },
});

/** Presents the result of a write with the price of the written graph. */
async function presentWritten(
  ctx: ToolContext,
  id: string,
  { text, version, issueList }: PresentedWorkflow,
): Promise<ToolOutput> {
  const estimate = await estimatePrice(ctx, { graph: JSON.parse(text) as Graph });
  const { price } = estimate;
  return {
    data: {
      id,
      version,
      issues: presentIssues([...issueList.issues, ...estimate.issues]),
      ...toTruncation(issueList),
      estimate: price && { credits: price.credits, exact: price.exact },
      url: getWorkflowPageUrl(ctx.deps, id),
    },
  };
}
