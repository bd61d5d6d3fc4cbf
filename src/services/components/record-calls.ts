// Records which components a new version calls, in the transaction that stores the version. Since every write does
// this, it also checks here that the user may use the components and that they do not form a cycle.
import { COMPONENT_CALL, listComponentCalls } from '../../graph/components/calls.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import {
  insertVersionCalls,
  listReadableWorkflows,
  listVersionCalls,
  lockComponentCalls,
  type VersionCallRow,
} from '../../store/workflows/components.ts';
import { lockVersions } from '../../store/workflows/versions.ts';
import type { UserActor } from '../accounts/actor.ts';
import { type GraphWrite, getWrittenGraph } from '../workflows/write-graph.ts';
import { describeCycle, findCycle } from './component-cycle.ts';

export interface NewVersionCalls {
  readonly workflowId: string;
  readonly version: number;
  /** Versions whose calls may stay even if the user may not add them; empty for a new workflow. */
  readonly replaced: readonly number[];
  readonly write: GraphWrite;
}

/** Records the calls. Throws 403 `component_forbidden`, and 400 `component_circle` or `component_missing`. */
export async function recordCalls(
  tx: Tx,
  user: Pick<UserActor, 'userId' | 'closedTeams'>,
  written: NewVersionCalls,
): Promise<void> {
  const { workflowId: id, version, replaced, write } = written;
  if (!write.text.includes(COMPONENT_CALL)) return;
  const calls = listComponentCalls(getWrittenGraph(write)).filter(({ workflowId }) => workflowId !== '');
  if (calls.length === 0) return;
  const previousCalls = replaced.length === 0 ? [] : await listVersionCalls(tx, id, replaced);
  const ids = [...new Set(calls.map(({ workflowId }) => workflowId))];
  const readable = new Map((await listReadableWorkflows(tx, ids, user)).map(row => [row.id, row]));
  const previousIds = new Set(previousCalls.map(row => row.component_id));
  const newIds = ids.filter(componentId => !previousIds.has(componentId));
  if (newIds.length > 0 && replaced.length > 0) {
    await lockComponentCalls(tx);
    const cycle = await findCycle(tx, id, newIds);
    if (cycle !== undefined) throw new AppError('component_circle', await describeCycle(tx, user, cycle));
  }
  const groups = Map.groupBy(calls, call => `${call.version} ${call.workflowId}`);
  const rows = [...groups.values()].map((group): VersionCallRow => {
    const [{ workflowId, version: calledVersion } = { workflowId: '', version: 0 }] = group;
    const number = calledVersion === 'latest' ? null : calledVersion;
    const component = readable.get(workflowId);
    const previousCall = previousCalls.find(row => row.component_id === workflowId && row.version === number);
    const mayAdd = component !== undefined && (!component.is_only || component.version === number);
    if (!mayAdd && previousCall === undefined) throw createForbiddenError(workflowId);
    return {
      component_id: workflowId,
      version: number,
      node_ids: group.map(({ nodeId }) => nodeId),
      user_id: mayAdd ? user.userId : (previousCall as VersionCallRow).user_id,
    };
  });
  await requireVersions(tx, rows);
  await insertVersionCalls(tx, { id, version }, rows);
}

/** Throws 400 `component_missing` if a version was deleted since the calls were resolved. */
async function requireVersions(tx: Tx, rows: readonly VersionCallRow[]): Promise<void> {
  const pinned = rows.flatMap(({ component_id: workflow_id, version }) =>
    version === null ? [] : [{ workflow_id, version }],
  );
  if (pinned.length === 0) return;
  const existing = await lockVersions(tx, pinned);
  const missing = pinned.find(
    call => !existing.some(row => row.workflow_id === call.workflow_id && row.version === call.version),
  );
  if (missing === undefined) return;
  throw new AppError(
    'component_missing',
    `Version ${missing.version} of the component ${missing.workflow_id} was deleted. Choose another version, or "latest".`,
  );
}

const createForbiddenError = (workflowId: string): AppError =>
  new AppError(
    'component_forbidden',
    `You don't have permission to use the workflow ${workflowId} as a component. Ask its owner to share it with you.`,
  );
