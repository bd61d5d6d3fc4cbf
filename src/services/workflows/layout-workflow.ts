// Lays out a stored workflow: changes only the positions of nodes and frames.
import { NO_ISSUES } from '../../graph/issues.ts';
import { applyLayout, LAYOUT_LIMITS, layoutGraph } from '../../graph/layout/layout.ts';
import type { Graph } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { cacheCommitted, commitChange, lockForEdit } from './commit-workflow.ts';
import { compareNodes, NO_CHANGES } from './node-changes.ts';
import type { LayoutBody } from './workflow.schema.ts';
import { toStoredGraph } from './write-graph.ts';

/** Lays out the board. Writes nothing if the layout changes nothing. Throws 422 `board_too_large`. */
export async function layoutWorkflow(deps: Deps, actor: Actor, id: string, body: LayoutBody) {
  const user = requireScope(actor, 'workflows:write');
  const { layout, committed } = await deps.db.transaction(async tx => {
    const view = await lockForEdit(tx, user, id);
    const version = await deps.versions.get(tx, id, view.workflow.version);
    requireWithinLimits(version.graph);
    const layout = layoutGraph(version.graph, deps.catalog, body);
    const laidOut = toStoredGraph(deps, applyLayout(version.graph, layout));
    const isChanged = laidOut.text !== version.text;
    const nodeChanges = isChanged ? compareNodes(version.graph, laidOut.graph) : NO_CHANGES;
    const write = { ...laidOut, isChanged, nodeChanges, issueList: NO_ISSUES, warnings: layout.warnings };
    return { layout, committed: await commitChange(deps, tx, view, { fields: {}, write, warnings: [] }) };
  });
  cacheCommitted(deps, committed);
  return {
    id,
    updatedAt: committed.view.workflow.updated_at.toISOString(),
    moved: layout.moves,
    groups: layout.groups,
    meta: { warnings: layout.warnings },
  };
}

function requireWithinLimits({ nodes, edges }: Graph): void {
  if (nodes.length <= LAYOUT_LIMITS.nodes && edges.length <= LAYOUT_LIMITS.edges) return;
  throw new AppError(
    'board_too_large',
    `The board has ${nodes.length} nodes and ${edges.length} edges. The maximum for a layout is ${LAYOUT_LIMITS.nodes} nodes and ${LAYOUT_LIMITS.edges} edges.`,
  );
}
