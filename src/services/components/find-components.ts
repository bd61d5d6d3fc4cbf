// Finds workflows of the user that other workflows can call, by words and by the types of their ports.
import { canFeed } from '../../graph/catalog.ts';
import type { PortType } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { findActiveTeam } from '../../store/teams.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { listOwnWorkflows } from '../workflows/list-workflows.ts';
import type { ListWorkflowsQuery } from '../workflows/workflow.schema.ts';
import { readComponentInterface, type WorkflowInterface } from './read-interface.ts';

export interface ComponentSearch {
  /** Lowercase words that must all be in the name or the description. If empty, lists workflows that others call. */
  readonly words: readonly string[];
  readonly accepts?: PortType | undefined;
  readonly produces?: PortType | undefined;
  readonly limit: number;
}

export interface FoundComponent extends WorkflowInterface {
  readonly description: string | null;
}

/** The maximum number of workflows of a workspace that are searched, most recently changed first. */
const MAX_SEARCHED = 200;

/** Returns matching workflows of the user, and of the team whose workspace is active, that have an output. */
export async function findComponents(
  deps: Deps,
  actor: Actor,
  { words, accepts, produces, limit }: ComponentSearch,
): Promise<readonly FoundComponent[]> {
  const user = requireScope(actor, 'workflows:read');
  const team = await findActiveTeam(deps.db, user.userId);
  const query: ListWorkflowsQuery = {
    limit: MAX_SEARCHED,
    ...(words.length === 0 ? { isComponent: 'true' as const } : {}),
  };
  const lists = await Promise.all([
    listOwnWorkflows(deps, user, query),
    ...(team === undefined ? [] : [listOwnWorkflows(deps, user, { ...query, teamId: team.id })]),
  ]);
  const workflows = new Map(lists.flatMap(({ data }) => data.map(row => [row.id, row] as const)));
  const matches = [...workflows.values()].filter(({ name, description }) => {
    const text = `${name} ${description ?? ''}`.toLowerCase();
    return words.every(word => text.includes(word));
  });
  const matchingComponents: FoundComponent[] = [];
  // Each interface is read from a graph, so the search stops as soon as there are enough.
  for (const { id, description } of matches.slice(0, 4 * limit)) {
    const component = await readIfPresent(deps, user, id);
    if (component === undefined || component.outputs.length === 0) continue;
    if (accepts !== undefined && !component.inputs.some(({ type }) => canFeed(accepts, type))) continue;
    if (produces !== undefined && !component.outputs.some(({ type }) => type === produces)) continue;
    matchingComponents.push({ ...component, description });
    if (matchingComponents.length === limit) break;
  }
  return matchingComponents;
}

/** Returns undefined if the workflow was deleted after it was listed. */
async function readIfPresent(deps: Deps, actor: Actor, id: string): Promise<WorkflowInterface | undefined> {
  try {
    return await readComponentInterface(deps, actor, id);
  } catch (err) {
    if (err instanceof AppError && err.status < 500) return undefined;
    throw err;
  }
}
