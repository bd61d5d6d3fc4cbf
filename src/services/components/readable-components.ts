// Finds the components of a workflow that a reader may open. Of any other component, the reader sees only name and
// ports.
import {
  COMPONENT_CALL,
  isComponentCall,
  listComponentCalls,
  readCall,
} from '../../graph/components/calls.ts';
import { hideCalls } from '../../graph/components/hide-calls.ts';
import { quote } from '../../graph/issues.ts';
import { listReadableWorkflows } from '../../store/workflows/components.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { type StoredGraph, toGraphText } from '../workflows/graph-versions.ts';

/** The id is that of no account. */
const NOBODY = { userId: 0 };

/** Returns the sorted ids of the components that the actor may read. */
export async function listReadableComponents(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  stored: StoredGraph,
): Promise<readonly string[]> {
  if (!stored.text.includes(COMPONENT_CALL)) return [];
  const ids = [...new Set(listComponentCalls(stored.graph).map(({ workflowId }) => workflowId))];
  if (ids.length === 0) return [];
  const rows = await listReadableWorkflows(db, ids, actor.kind === 'user' ? actor : NOBODY);
  return rows.map(({ id }) => id).sort();
}

export interface CopiedGraph {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Returns a copy of the graph for the actor, without references to components that the actor may not read. */
export async function hideUnreadableCalls(
  deps: Pick<Deps, 'db'>,
  actor: Actor,
  stored: StoredGraph,
): Promise<CopiedGraph> {
  if (!stored.text.includes(COMPONENT_CALL)) return { text: stored.text, warnings: [] };
  const readableIds = new Set(await listReadableComponents(deps, actor, stored));
  const copied = hideCalls(stored.graph, readableIds);
  const hidden = copied.nodes.filter(node => isComponentCall(node) && readCall(node).workflowId === '');
  return {
    text: copied === stored.graph ? stored.text : toGraphText(copied),
    warnings: hidden
      .slice(0, MAX_WARNINGS)
      .map(
        ({ id, data }) =>
          `${id}: The component ${quote(String(data.config?.name ?? data.label))} is not shared with you. Choose another one, or ask its owner to share it.`,
      ),
  };
}

const MAX_WARNINGS = 50;
