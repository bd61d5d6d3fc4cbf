// Applies operations to a stored workflow, for the API and the MCP server.
import type { Actor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { editGraph } from './change-workflow.ts';
import { applyOperations, type Operation } from './edit-operations.ts';
import type { PresentedWorkflow } from './present-workflow.ts';

export interface WorkflowEdit {
  /** The version that the operations are based on. Default: the stored version. */
  readonly baseVersion?: number | undefined;
  readonly ifMatch?: string | undefined;
  readonly operations: readonly Operation[];
  /** Whether to lay out the whole board again. */
  readonly arrange?: boolean | undefined;
  readonly mayBreakApp?: boolean | undefined;
}

/** Applies the operations and stores the graph. Throws 400, and what `editGraph` throws. */
export function editWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  { operations, arrange, ...conditions }: WorkflowEdit,
): Promise<PresentedWorkflow> {
  return editGraph(deps, actor, id, {
    ...conditions,
    change: graph => applyOperations(deps.catalog, graph, { operations, path: '/operations' }),
    ...(arrange === true ? { autoLayout: 'always' } : {}),
  });
}
