// Workflows made and changed by agents: created in one call, edited by operations, configured node by node, cloned from
// templates.
import { Type } from 'typebox';
import { toTruncation } from '../../graph/issues.ts';
import type { Graph } from '../../graph/types.ts';
import { Exact } from '../../services/schema.ts';
import { duplicateTemplate } from '../../services/templates/duplicate-template.ts';
import { editGraph } from '../../services/workflows/change-workflow.ts';
import { createWorkflow } from '../../services/workflows/create-workflow.ts';
import type { PresentedWorkflow } from '../../services/workflows/present-workflow.ts';
import type { Caller } from '../caller.ts';
import { toGraph } from '../graph-form.ts';
import { presentIssues, TRUNCATION } from '../issues-form.ts';
import { applyOperations, OPERATIONS } from '../operations.ts';
import { findPrice } from '../price.ts';
import { ADDS, Anything, CHANGES, defineTool, Id, OneOf, OutputSchema, type ToolOutput } from '../tool.ts';
import { workflowPageUrl } from '../workflow-page.ts';
import { EDGES, NODES } from './arguments.ts';

const WRITTEN = OutputSchema({
  id: Type.String(),
  version: Type.Integer(),
  issues: Type.Array(Anything()),
  ...TRUNCATION,
  estimate: Anything('credits, exact'),
  url: Type.String(),
  note: Type.String(),
});
const NARROW = 'check_workflow lists the issues.';

export const createWorkflowTool = defineTool({
  name: 'create_workflow',
  title: 'Create workflow',
  description:
    'Create a workflow from nodes and edges. It is linted, priced and laid out. Look first for a template.',
  scope: 'workflows:write',
  hints: ADDS,
  input: Exact({
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    nodes: NODES,
    edges: EDGES,
  }),
  output: WRITTEN,
  narrow: NARROW,
  call: async (caller, { name, description, nodes, edges }) => {
    const body = {
      name,
      ...(description === undefined ? {} : { description }),
      ...toGraph(caller.deps, nodes, edges),
    };
    const made = await createWorkflow(caller.deps, caller.actor, body, { autoLayout: 'always' });
    return presentWritten(caller, made.id, made);
  },
});

export const editWorkflowTool = defineTool({
  name: 'edit_workflow',
  title: 'Edit workflow',
  description:
    'Change nodes and edges, all operations or none. rename without nodeId names the workflow; null in config restores the default of a setting, unless the field accepts null. connect replaces the edge at its input, unless the input takes a list.',
  scope: 'workflows:write',
  hints: CHANGES,
  input: Exact({
    workflowId: Id(),
    baseVersion: Type.Integer({ minimum: 1, description: 'version as you read it' }),
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
    arrange: Type.Optional(Type.Boolean({ description: 'Lay the whole board out anew' })),
  }),
  output: WRITTEN,
  narrow: NARROW,
  call: async (caller, { workflowId, baseVersion, operations, arrange }) => {
    const written = await editGraph(caller.deps, caller.actor, workflowId, {
      baseVersion,
      change: graph => applyOperations(caller.deps.catalog, graph, { operations, path: '/operations' }),
      ...(arrange === true ? { autoLayout: 'always' } : {}),
    });
    return presentWritten(caller, workflowId, written);
  },
});

export const updateConfigTool = defineTool({
  name: 'update_workflow_config',
  title: 'Set config',
  description: 'Set config fields of nodes; what is not named stays. Refuses video:renderer.',
  scope: 'workflows:write',
  hints: { ...CHANGES, idempotentHint: true },
  input: Exact({
    workflowId: Id(),
    changes: Type.Array(Exact({ nodeId: Id(), config: Anything() }), {
      minItems: 1,
      maxItems: 100,
    }),
    baseVersion: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  output: WRITTEN,
  narrow: NARROW,
  call: async (caller, { workflowId, changes, baseVersion }) => {
    const { catalog } = caller.deps;
    const operations = changes.map(change => ({ op: 'set_config' as const, ...change }));
    const written = await editGraph(caller.deps, caller.actor, workflowId, {
      baseVersion,
      change: graph => applyOperations(catalog, graph, { operations, path: '/changes' }),
    });
    return presentWritten(caller, workflowId, written);
  },
});

export const cloneTemplateTool = defineTool({
  name: 'clone_template',
  title: 'Clone template',
  description: 'Copy a template to a workflow of your own.',
  scope: 'workflows:write',
  hints: ADDS,
  input: Exact({ templateId: Id(), name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }),
  output: WRITTEN,
  narrow: NARROW,
  call: async (caller, { templateId, name }) => {
    const made = await duplicateTemplate(caller.deps, caller.actor, templateId, {
      body: name === undefined ? {} : { name },
      signal: caller.signal,
    });
    return presentWritten(caller, made.id, made);
  },
});

/** The result of a write, including the graph that REST returns. */
async function presentWritten(
  caller: Caller,
  id: string,
  { text, version, findings }: PresentedWorkflow,
): Promise<ToolOutput> {
  const found = await findPrice(caller, { graph: JSON.parse(text) as Graph });
  const { price } = found;
  return {
    facts: {
      id,
      version,
      issues: presentIssues([...findings.issues, ...found.issues]),
      ...toTruncation(findings),
      ...(price === undefined ? {} : { estimate: { credits: price.credits, exact: price.exact } }),
      url: workflowPageUrl(caller.deps, id),
    },
  };
}
