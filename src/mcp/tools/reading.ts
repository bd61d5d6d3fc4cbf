// Defines the tools that find and read workflows.
import { Type } from 'typebox';
import { getInputNames } from '../../graph/input-names.ts';
import { Exact } from '../../services/schema.ts';
import { listOwnWorkflows } from '../../services/workflows/list-workflows.ts';
import { readWorkflowGraph } from '../../services/workflows/read-workflow.ts';
import { getWorkflowPageUrl } from '../agent-graph.ts';
import { getSubgraph, outlineFullNodes, outlineGraph } from '../outline.ts';
import { AnyObject, Cursor, defineTool, Id, Limit, OneOf, OutputSchema, READ_HINTS } from '../tool.ts';

const DEFAULT_LIMIT = 20;

export const listWorkflowsTool = defineTool({
  name: 'list_workflows',
  title: 'List workflows',
  description: 'Your workflows, last changed first.',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({
    query: Type.Optional(Type.String({ maxLength: 200, minLength: 1, description: 'Part of the name' })),
    limit: Limit(50),
    cursor: Cursor,
  }),
  output: OutputSchema({
    workflows: Type.Array(AnyObject()),
    nextCursor: Type.String(),
    note: Type.String(),
  }),
  tooLongHint: 'Use a query or a smaller limit.',
  call: async ({ deps, actor }, { limit = DEFAULT_LIMIT, ...query }) => {
    const page = await listOwnWorkflows(deps, actor, { limit, ...query });
    const workflows = page.data.map(({ id, name, updatedAt, isPublished }) => ({
      id,
      name,
      updatedAt,
      isPublished,
      url: getWorkflowPageUrl(deps, id),
    }));
    return { data: { workflows, nextCursor: page.nextCursor ?? undefined } };
  },
});

export const getWorkflowTool = defineTool({
  name: 'get_workflow',
  title: 'Read workflow',
  description: 'The version, inputs, nodes and edges of a workflow.',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({
    workflowId: Id(),
    detail: Type.Optional(OneOf(['outline', 'full'])),
    nodeIds: Type.Optional(Type.Array(Id(), { minItems: 1, maxItems: 200, description: 'Only these' })),
  }),
  output: OutputSchema({
    id: Type.String(),
    name: Type.String(),
    version: Type.Integer(),
    inputs: Type.Array(AnyObject()),
    nodes: Type.Array(AnyObject()),
    edges: Type.Array(Type.String()),
    url: Type.String(),
    note: Type.String(),
  }),
  tooLongHint: 'Request some nodes by nodeIds, or detail "outline".',
  call: async ({ deps, actor }, { workflowId, detail = 'outline', nodeIds }) => {
    const { view, version, graph } = await readWorkflowGraph(deps, actor, workflowId);
    const selectedGraph = nodeIds === undefined ? graph : getSubgraph(graph, nodeIds);
    const show = detail === 'full' || nodeIds !== undefined ? outlineFullNodes : outlineGraph;
    const { id, name } = view.workflow;
    return {
      data: {
        id,
        name,
        version,
        ...show(deps.catalog, selectedGraph, getInputNames(graph.nodes)),
        url: getWorkflowPageUrl(deps, id),
      },
    };
  },
});
