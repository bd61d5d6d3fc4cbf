// Tools that create and change workflows: in a single call, by operations, node by node, or from templates.
import { Type } from 'typebox';
import { toTruncation } from '../../graph/issues.ts';
import type { Graph } from '../../graph/types.ts';
import { Exact } from '../../services/schema.ts';
import { duplicateTemplate } from '../../services/templates/duplicate-template.ts';
import { editGraph } from '../../services/workflows/change-workflow.ts';
import { createWorkflow } from '../../services/workflows/create-workflow.ts';
import type { PresentedWorkflow } from '../../services/workflows/present-workflow.ts';
import type { Caller } from '../caller.ts';
import { getPrice, getWorkflowPageUrl, presentIssues, TRUNCATION, toGraph } from '../graph-form.ts';
import { applyOperations, OPERATIONS } from '../operations.ts';
import { ADDS, Anything, CHANGES, defineTool, Id, OneOf, OutputSchema, type ToolOutput } from '../tool.ts';
import { EDGES, NODES } from './arguments.ts';

const WRITE_OUTPUT = OutputSchema({
  id: Type.String(),
  version: Type.Integer(),
  issues: Type.Array(Anything()),
  ...TRUNCATION,
  estimate: Anything('credits, exact'),
  url: Type.String(),
  note: Type.String(),
});
const BREAK_APP = Type.Optional(Type.Boolean({ description: 'Save even if the app of the workflow breaks' }));
const NARROW = 'check_workflow lists the issues.';

export const createWorkflowTool = defineTool({
  name: 'create_workflow',
  title: 'Create workflow',
  description:
    'Create a workflow from nodes and edges. It is linted, priced and laid out. Look for a template first.',
  scope: 'workflows:write',
  hints: ADDS,
  input: Exact({
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    nodes: NODES,
    edges: EDGES,
  }),
  output: WRITE_OUTPUT,
  narrow: NARROW,
  call: async (caller, { name, description, nodes, edges }) => {
    const body = {
      name,
      ...(description === undefined ? {} : { description }),
      ...toGraph(caller.deps, nodes, edges),
    };
    const created = await createWorkflow(caller.deps, caller.actor, body, { autoLayout: 'always' });
    return presentWritten(caller, created.id, created);
  },
});

export const editWorkflowTool = defineTool({
  name: 'edit_workflow',
  title: 'Edit workflow',
  description:
    'Change nodes and edges, all operations or none. rename without nodeId renames the workflow; null in config restores the default of a setting, unless the field accepts null. connect replaces the edge at its input, unless the input takes a list.',
  scope: 'workflows:write',
  hints: CHANGES,
  input: Exact({
    workflowId: Id(),
    baseVersion: Type.Integer({ minimum: 1, description: 'The version that you read' }),
    operations: Type.Array(
      Exact({
        op: OneOf(OPERATIONS),
        nodeId: Type.Optional(Id()),
        nodeType: Type.Optional(Id()),
        label: Type.Optional(Type.String({ maxLength: 200 })),
        config: Type.Optional(Anything()),
        edge: Type.Optional(Type.String({ maxLength: 600 })),
      }),
      { minItems: 1, maxItems: 100 },
    ),
    arrange: Type.Optional(Type.Boolean({ description: 'Lay out the whole board again' })),
    breakApp: BREAK_APP,
  }),
  output: WRITE_OUTPUT,
  narrow: NARROW,
  call: async (caller, { workflowId, baseVersion, operations, arrange, breakApp: breaksApp }) => {
    const edited = await editGraph(caller.deps, caller.actor, workflowId, {
      baseVersion,
      breaksApp,
      change: graph => applyOperations(caller.deps.catalog, graph, { operations, path: '/operations' }),
      ...(arrange === true ? { autoLayout: 'always' } : {}),
    });
    return presentWritten(caller, workflowId, edited);
  },
});

export const updateConfigTool = defineTool({
  name: 'update_workflow_config',
  title: 'Set config',
  description: 'Set config fields of nodes; other fields are unchanged. Rejects video:renderer.',
  scope: 'workflows:write',
  hints: { ...CHANGES, idempotentHint: true },
  input: Exact({
    workflowId: Id(),
    changes: Type.Array(Exact({ nodeId: Id(), config: Anything() }), {
      minItems: 1,
      maxItems: 100,
    }),
    baseVersion: Type.Optional(Type.Integer({ minimum: 1 })),
    breakApp: BREAK_APP,
  }),
  output: WRITE_OUTPUT,
  narrow: NARROW,
  call: async (caller, { workflowId, changes, baseVersion, breakApp: breaksApp }) => {
    const { catalog } = caller.deps;
    const operations = changes.map(change => ({ op: 'set_config' as const, ...change }));
    const edited = await editGraph(caller.deps, caller.actor, workflowId, {
      baseVersion,
      breaksApp,
      change: graph => applyOperations(catalog, graph, { operations, path: '/changes' }),
    });
    return presentWritten(caller, workflowId, edited);
  },
});

export const cloneTemplateTool = defineTool({
  name: 'clone_template',
  title: 'Clone template',
  description: 'Copy a template to your own workflows.',
  scope: 'workflows:write',
  hints: ADDS,
  input: Exact({ templateId: Id(), name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }),
  output: WRITE_OUTPUT,
  narrow: NARROW,
  call: async (caller, { templateId, name }) => {
    const created = await duplicateTemplate(caller.deps, caller.actor, templateId, {
      body: name === undefined ? {} : { name },
      signal: caller.signal,
    });
    return presentWritten(caller, created.id, created);
  },
});

/** Presents the result of a write with the price of the written graph. */
async function presentWritten(
  caller: Caller,
  id: string,
  { text, version, findings }: PresentedWorkflow,
): Promise<ToolOutput> {
  const estimate = await getPrice(caller, { graph: JSON.parse(text) as Graph });
  const { price } = estimate;
  return {
    data: {
      id,
      version,
      issues: presentIssues([...findings.issues, ...estimate.issues]),
      ...toTruncation(findings),
      estimate: price && { credits: price.credits, exact: price.exact },
      url: getWorkflowPageUrl(caller.deps, id),
    },
  };
}
