// Changes the version of a component in its callers. Each change is an ordinary write that can be undone.
import { type LostPort, setCallVersions, type TargetVersion } from '../../graph/components/call-versions.ts';
import type { Graph } from '../../graph/types.ts';
import { AppError, type Issue } from '../../lib/errors.ts';
import {
  type CallingWorkflow,
  countHiddenCallers,
  listCallingWorkflows,
} from '../../store/workflows/component-callers.ts';
import { listClosedTeams } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { byId, readPage } from '../paging.ts';
import { checkEdit, type EditedGraph, editGraph } from '../workflows/change-workflow.ts';
import type { OUTCOMES, UpdateCallersBody } from './component.schema.ts';
import { readComponentInterface } from './read-interface.ts';

/** Maximum number of workflows per request. */
const MAX_CALLERS = 100;

interface CallerOutcome {
  readonly outcome: (typeof OUTCOMES)[number];
  /** Why it was refused. */
  readonly issues?: readonly Issue[];
  readonly lostPorts: readonly LostPort[];
}

/**
 * Changes the version in all workflows that the user may edit, or only checks whether it could. A caller whose edges
 * would lose a port is refused. Throws 403, 404.
 */
export async function updateCallers(
  deps: Deps,
  actor: Actor,
  id: string,
  { body, signal }: { readonly body: UpdateCallersBody; readonly signal: AbortSignal },
) {
  const user = requireScope(actor, 'workflows:write');
  const { version, dryRun = false, cursor } = body;
  const requestedVersion = version === 'latest' ? undefined : version;
  const target: TargetVersion = {
    ...(await readComponentInterface(deps, user, id, requestedVersion)),
    version,
  };
  const callerPage = await readPage(
    { limit: MAX_CALLERS, ...(cursor === undefined ? {} : { cursor }) },
    byId('workflow'),
    page =>
      listCallingWorkflows(deps.db, id, {
        userId: user.userId,
        withoutTeams: listClosedTeams(user),
        ...page,
      }),
    row => row,
  );
  const data = [];
  for (const caller of callerPage.data) {
    signal.throwIfAborted();
    const outcome = await updateCaller(deps, user, { caller, target, isDryRun: dryRun });
    data.push({ workflowId: caller.id, name: caller.name, ...outcome });
  }
  return {
    data,
    hidden: await countHiddenCallers(deps.db, id, user.userId, listClosedTeams(user)),
    nextCursor: callerPage.nextCursor,
  };
}

interface CallerUpdate {
  readonly caller: CallingWorkflow;
  readonly target: TargetVersion;
  readonly isDryRun: boolean;
}

async function updateCaller(
  deps: Deps,
  user: UserActor,
  { caller, target, isDryRun }: CallerUpdate,
): Promise<CallerOutcome> {
  let lostPorts: readonly LostPort[] = [];
  const change = (graph: Graph): EditedGraph => {
    const update = setCallVersions(graph, target, deps.catalog);
    lostPorts = update.lostPorts;
    requireConnectedPorts(lostPorts, target);
    return update.graph;
  };
  try {
    // Reading needs no lock.
    const { graph } = await deps.versions.get(deps.db, caller.id, caller.version);
    if (!setCallVersions(graph, target, deps.catalog).isChanged) return { outcome: 'unchanged', lostPorts };
    if (isDryRun) await checkEdit(deps, user, caller.id, { change });
    else await editGraph(deps, user, caller.id, { change });
    return { outcome: 'updated', lostPorts };
  } catch (err) {
    if (!(err instanceof AppError) || err.status >= 500) throw err;
    const issues = err.issues ?? [{ code: err.code, message: err.message }];
    return { outcome: 'refused', issues: issues.slice(0, MAX_ISSUES), lostPorts };
  }
}

const MAX_ISSUES = 20;

/** Throws 400 if an edge would lose its port. The value of a removed input has no effect, so it may stay. */
function requireConnectedPorts(lostPorts: readonly LostPort[], { version }: TargetVersion): void {
  const lostEdges = lostPorts.filter(({ use }) => use === 'edge');
  if (lostEdges.length === 0) return;
  const versionName = version === 'latest' ? 'the latest version' : `version ${version}`;
  const issues = lostEdges.map(({ nodeId, direction, id, label, reason }) => ({
    nodeId,
    code: 'lost_port',
    message:
      reason === 'removed'
        ? `The ${direction} “${label}” (${id}) does not exist in ${versionName}. Remove its edges, or connect them elsewhere.`
        : `The ${direction} “${label}” (${id}) has another type in ${versionName}. Remove its edges, or convert the value.`,
  }));
  throw new AppError('invalid_graph', issues[0]?.message ?? '', { issues });
}
