// Defines the tool that checks a graph before it is stored or run: its issues and its price.
import { Type } from 'typebox';
import type { Graph } from '../../graph/types.ts';
import { AppError, type Issue } from '../../lib/errors.ts';
import { Exact } from '../../services/schema.ts';
import { lintGraphBody, lintWorkflow } from '../../services/workflows/lint-workflow.ts';
import { readWorkflowGraph } from '../../services/workflows/read-workflow.ts';
import { estimatePrice, presentIssues, TRUNCATION, toGraph } from '../agent-graph.ts';
import { AnyObject, defineTool, Id, OutputSchema, READ_HINTS, type ToolContext } from '../tool.ts';
import { EDGES, NODES, RUN_INPUTS, TARGETS } from './arguments.ts';

export const checkWorkflowTool = defineTool({
  name: 'check_workflow',
  title: 'Check workflow',
  description:
    'List the issues of a workflow, or of nodes and edges, and the credits that a run costs. Changes nothing.',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({
    workflowId: Type.Optional(Id()),
    nodes: Type.Optional(NODES),
    edges: Type.Optional(EDGES),
    inputs: RUN_INPUTS,
    targets: TARGETS,
  }),
  output: OutputSchema({
    ok: Type.Boolean(),
    issues: Type.Array(AnyObject()),
    ...TRUNCATION,
    credits: Type.Integer(),
    exact: Type.Boolean(),
    breakdown: Type.Array(AnyObject()),
    note: Type.String(),
  }),
  tooLongHint: 'Request fewer targets.',
  call: async (ctx, { inputs, targets, ...graphToCheck }) => {
    const { report, graph, workspace } = await lint(ctx, graphToCheck);
    const { price, issues } = report.ok
      ? await estimatePrice(ctx, { graph, workspace, inputs, targets })
      : { price: undefined, issues: [] };
    const { issues: lintIssues, ok, ...truncation } = report;
    const allIssues: readonly Issue[] = [...lintIssues, ...issues];
    return {
      data: {
        ok: ok && issues.length === 0,
        issues: presentIssues(allIssues),
        ...truncation,
        credits: price?.credits,
        exact: price?.exact,
        breakdown: price?.breakdown,
      },
    };
  },
});

interface GraphToCheck {
  readonly workflowId?: string;
  readonly nodes?: Parameters<typeof toGraph>[1];
  readonly edges?: readonly string[];
}

async function lint({ deps, actor }: ToolContext, { workflowId, nodes, edges = [] }: GraphToCheck) {
  if ((workflowId === undefined) === (nodes === undefined))
    throw new AppError('invalid_request', 'Send either workflowId, or nodes and edges.');
  if (nodes !== undefined) {
    const graph = toGraph(deps, nodes, edges);
    return { report: await lintGraphBody(deps, actor, graph), graph: graph as Graph, workspace: undefined };
  }
  const { graph, workspace } = await readWorkflowGraph(deps, actor, workflowId ?? '');
  return { report: await lintWorkflow(deps, actor, workflowId ?? '', {}), graph, workspace };
}
