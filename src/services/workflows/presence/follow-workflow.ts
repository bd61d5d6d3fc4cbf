// Streams the changes and viewers of a workflow, and shares the nodes that a viewer has selected. Notifications trigger
// reads from PostgreSQL. If a notification is lost with its connection, the next poll finds the change.
import { createChangeWaiter } from '../../../lib/change-waiter.ts';
import { newId } from '../../../lib/ids.ts';
import {
  deleteFollower,
  type Follower,
  listPresence,
  notifyFollowers,
  saveSelection,
  touchFollower,
} from '../../../store/workflows/followers.ts';
import { findWorkflow, type ReadWorkflowRow } from '../../../store/workflows/workflows.ts';
import { authorize, findRole, hasOwnRole } from '../../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../accounts/actor.ts';
import type { Deps } from '../../deps.ts';
import { getVisibleVersion } from '../read-workflow.ts';
import type { SelectionBody } from '../workflow.schema.ts';

export type WorkflowEvent =
  | { readonly event: 'changed'; readonly data: ReturnType<typeof presentChange> }
  | { readonly event: 'presence'; readonly data: { readonly users: readonly PresentUser[] } };

interface PresentUser {
  readonly userId: number;
  readonly name: string;
  readonly sessions: number;
  readonly selected: readonly string[];
}

/** A viewer counts as gone after this many intervals without a poll. */
const MISSED_POLLS = 3;

/**
 * Yields the current state, then each change until the signal fires, the workflow is deleted, or the reader loses
 * access. Members see each other. Other readers of a public workflow see nobody, and nobody sees them. Throws 404, 403.
 */
export async function followWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<WorkflowEvent>> {
  const user = requireScope(actor, 'workflows:read');
  return follow(deps, user, await getReadableWorkflow(deps, actor, id), signal);
}

/** Returns the workflow if the actor may read it. Throws 404, 403. */
export async function getReadableWorkflow(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  id: string,
): Promise<ReadWorkflowRow> {
  const user = requireScope(actor, 'workflows:read');
  return authorize(user, 'read', await findWorkflow(db, id, user.userId)).workflow;
}

async function* follow(
  deps: Deps,
  user: UserActor,
  first: ReadWorkflowRow,
  signal: AbortSignal,
): AsyncGenerator<WorkflowEvent> {
  const { db } = deps;
  const { id } = first;
  const follower: Follower = { id: newId('follower', deps.now()), workflowId: id, userId: user.userId };
  const waiter = createChangeWaiter();
  const unsubscribe = deps.changeHub.subscribe(id, { onChange: waiter.notify });
  const lastSent = { changed: '', presence: '' };
  const isNew = ({ event, data }: WorkflowEvent): boolean => {
    const text = JSON.stringify(data);
    if (lastSent[event] === text) return false;
    lastSent[event] = text;
    return true;
  };
  try {
    for (let row: ReadWorkflowRow | undefined = first; !signal.aborted; ) {
      const role = row === undefined ? undefined : findRole(user, row);
      if (row === undefined || role === undefined) return;
      const isListed = hasOwnRole(user, row);
      if (isListed) await touchFollower(db, follower);
      // Notifies the other viewers of the new one.
      if (isListed && lastSent.changed === '') await notifyFollowers(db, id);
      const changed = {
        event: 'changed',
        data: presentChange(row, getVisibleVersion({ workflow: row, role, actor: user })),
      } as const;
      if (isNew(changed)) yield changed;
      const presence = {
        event: 'presence',
        data: { users: isListed ? await readPresence(deps, id) : [] },
      } as const;
      if (isNew(presence)) yield presence;
      await waiter.wait(deps.timing.presencePollMs, signal);
      row = await findWorkflow(db, id, user.userId);
    }
  } finally {
    unsubscribe();
    await deleteFollower(db, follower, getMaxAge(deps));
    await notifyFollowers(db, id);
  }
}

function presentChange(row: ReadWorkflowRow, version: number) {
  return {
    version,
    updatedAt: row.updated_at.toISOString(),
    userId: row.written_by,
    sessionId: row.written_by_session,
  };
}

/** Returns the age in ms of the last poll of a viewer who counts as gone. */
const getMaxAge = ({ timing }: Deps): number => MISSED_POLLS * timing.presencePollMs;

async function readPresence(deps: Deps, id: string): Promise<readonly PresentUser[]> {
  const rows = await listPresence(deps.db, id, getMaxAge(deps));
  return rows.map(({ user_id, name, streams, selected }) => ({
    userId: user_id,
    name,
    sessions: streams,
    selected,
  }));
}

/**
 * Shares the caller's selection with other viewers. Does nothing for users who do not follow the workflow, and for
 * readers who have access only because it is public.
 */
export async function shareSelection(deps: Deps, actor: Actor, id: string, { nodeIds }: SelectionBody) {
  const user = requireScope(actor, 'workflows:read');
  authorize(user, 'read', await findWorkflow(deps.db, id, user.userId));
  const isNew = await saveSelection(deps.db, { workflowId: id, userId: user.userId }, nodeIds);
  if (isNew) await notifyFollowers(deps.db, id);
  return { success: true as const };
}
