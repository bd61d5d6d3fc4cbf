// Who may do what with a workflow: a role by what the reader is to it, and a line a verb.
import { AppError } from '../lib/errors.ts';
import type { ReadWorkflowRow } from '../store/workflows.ts';
import type { Actor } from './actor.ts';

export type WorkflowRole = 'OWNER' | 'EDITOR' | 'VIEWER' | 'ANONYMOUS';

const VERBS = {
  read: ['OWNER', 'EDITOR', 'VIEWER', 'ANONYMOUS'],
  edit: ['OWNER', 'EDITOR'],
  run: ['OWNER', 'EDITOR'],
  delete: ['OWNER'],
} as const satisfies Record<string, readonly WorkflowRole[]>;

export type WorkflowVerb = keyof typeof VERBS;

/** What the actor is to the workflow; undefined: a stranger who may not even read it. */
export function roleOf(actor: Actor, workflow: ReadWorkflowRow): WorkflowRole | undefined {
  if (actor.kind === 'user') {
    if (
      workflow.user_id === actor.userId ||
      workflow.share_role === 'OWNER' ||
      workflow.team_role === 'OWNER'
    )
      return 'OWNER';
    if (workflow.share_role === 'EDIT' || workflow.team_role === 'EDITOR') return 'EDITOR';
    if (workflow.share_role === 'VIEW' || workflow.team_role === 'VIEWER') return 'VIEWER';
  }
  if (workflow.link_permission === 'PRIVATE' && !workflow.is_published) return undefined;
  return actor.kind === 'user' ? 'VIEWER' : 'ANONYMOUS';
}

export function canDo(role: WorkflowRole | undefined, verb: WorkflowVerb): boolean {
  return role !== undefined && (VERBS[verb] as readonly WorkflowRole[]).includes(role);
}

/** The actor's role, or the refusal that fits: 404 without the workflow, 401 for nobody, 403 for somebody else. */
export function authorize(
  actor: Actor,
  verb: WorkflowVerb,
  workflow: ReadWorkflowRow | undefined,
): { readonly workflow: ReadWorkflowRow; readonly role: WorkflowRole } {
  if (workflow === undefined) throw new AppError('not_found', 'There is no workflow with this id.');
  const role = roleOf(actor, workflow);
  if (role !== undefined && canDo(role, verb)) return { workflow, role };
  if (actor.kind === 'anonymous') {
    throw new AppError('unauthorized', 'This workflow is not public: send Authorization: Bearer sk-….', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  throw new AppError('forbidden', `You may not ${verb} this workflow.`);
}

/** The pool a workflow runs and pays on: its team's, or its creator's own. */
export function workspaceOf(workflow: { readonly team_id: string | null; readonly user_id: number }): string {
  return workflow.team_id ?? userWorkspace(workflow.user_id);
}

export function userWorkspace(userId: number): string {
  return `user:${userId}`;
}
