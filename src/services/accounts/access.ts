// Who may do what: what somebody is to a thing gives a role, and a table says which roles may do it.
import { AppError } from '../../lib/errors.ts';
import type { TeamRole } from '../../store/teams.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import type { Actor } from './actor.ts';

export type WorkflowRole = 'OWNER' | 'EDITOR' | 'VIEWER' | 'ANONYMOUS';

/** Of a workflow, all that its readers' roles depend on. */
export type RoleStanding = Pick<
  ReadWorkflowRow,
  'user_id' | 'team_id' | 'media_user_id' | 'share_role' | 'team_role' | 'link_permission' | 'is_published'
>;

/** The same, and whether it may be copied. */
export type WorkflowStanding = RoleStanding & Pick<ReadWorkflowRow, 'publish_settings'>;

/** A workspace as its reader stands to it: a team by its role, a personal one by being its user. */
export interface WorkspaceStanding {
  readonly user_id: number;
  readonly team_id: string | null;
  readonly team_role: TeamRole | null;
}

/** What is asked about: a workflow, or a workspace, which a folder lies in and a team is. */
interface OfWorkflow {
  readonly workflow: WorkflowStanding;
}
interface OfWorkspace {
  readonly workspace: WorkspaceStanding;
}

/** A line a rule: verb → the roles that may. */
const WORKFLOW_RULES = {
  read: ['OWNER', 'EDITOR', 'VIEWER', 'ANONYMOUS'],
  /** Besides, the workflow must let itself be copied by those who cannot edit it. */
  duplicate: ['OWNER', 'EDITOR', 'VIEWER', 'ANONYMOUS'],
  /** Its graph and fields, layout, versions, heartbeat, history of runs. */
  edit: ['OWNER', 'EDITOR'],
  /** Start, cancel, resume: its workspace pays. */
  run: ['OWNER', 'EDITOR'],
  delete: ['OWNER'],
  share: ['OWNER'],
  /** Visibility too. */
  publish: ['OWNER'],
  budget: ['OWNER'],
  /** To another folder; to another workspace its creator alone (workflow-location.ts). */
  move: ['OWNER'],
} as const satisfies Record<string, readonly WorkflowRole[]>;

const WORKSPACE_RULES = {
  read: ['OWNER', 'EDITOR', 'VIEWER'],
  /** Make, change and delete folders, put workflows in. */
  edit: ['OWNER', 'EDITOR'],
  /** Members and their roles. */
  manage: ['OWNER'],
} as const satisfies Record<string, readonly TeamRole[]>;

export type WorkflowVerb = keyof typeof WORKFLOW_RULES;
export type WorkspaceVerb = keyof typeof WORKSPACE_RULES;

/** A line a standing, strongest first: the first that applies gives the role. */
const STANDINGS: readonly (readonly [WorkflowRole, (userId: number, workflow: RoleStanding) => boolean])[] = [
  ['OWNER', createdWorkflow],
  ['OWNER', (userId, workflow) => workflow.media_user_id === userId && isInItsTeam(workflow)],
  ['OWNER', (_, { share_role }) => share_role === 'OWNER'],
  ['OWNER', (_, { team_role }) => team_role === 'OWNER'],
  ['EDITOR', (_, { share_role }) => share_role === 'EDIT'],
  ['EDITOR', (_, { team_role }) => team_role === 'EDITOR'],
  ['VIEWER', (_, { share_role }) => share_role === 'VIEW'],
  ['VIEWER', (_, { team_role }) => team_role === 'VIEWER'],
  ['VIEWER', (_, workflow) => isPublic(workflow)],
];

/** Whether the user created the workflow, and has not left its team since. */
function createdWorkflow(userId: number, workflow: TeamStanding & Pick<RoleStanding, 'user_id'>): boolean {
  return workflow.user_id === userId && isInItsTeam(workflow);
}

type TeamStanding = Pick<RoleStanding, 'team_id' | 'team_role'>;

/** Standing from having made something in a team lasts as long as the membership. */
function isInItsTeam({ team_id, team_role }: TeamStanding): boolean {
  return team_id === null || team_role !== null;
}

/** Whether the actor created the workflow and has not left its team since: sees its secrets, may take it elsewhere. */
export function isCreator(actor: Actor, workflow: TeamStanding & Pick<RoleStanding, 'user_id'>): boolean {
  return actor.kind === 'user' && createdWorkflow(actor.userId, workflow);
}

/** Whether the actor has a role of their own, besides the one that everybody has at a public workflow. */
export function hasOwnRole(actor: Actor, workflow: RoleStanding): boolean {
  return findRole(actor, { ...workflow, link_permission: 'PRIVATE', is_published: false }) !== undefined;
}

/** Whether the actor may do it. Scopes are another matter: services ask `requireScope` first. */
export function can(actor: Actor, verb: WorkflowVerb, thing: OfWorkflow): boolean;
export function can(actor: Actor, verb: WorkspaceVerb, thing: OfWorkspace): boolean;
export function can(
  actor: Actor,
  verb: WorkflowVerb | WorkspaceVerb,
  thing: OfWorkflow | OfWorkspace,
): boolean {
  if ('workspace' in thing) return isOneOf(WORKSPACE_RULES, verb, findWorkspaceRole(actor, thing.workspace));
  const role = findRole(actor, thing.workflow);
  if (!isOneOf(WORKFLOW_RULES, verb, role)) return false;
  return verb !== 'duplicate' || canDo(role, 'edit') || allowsDuplicate(thing.workflow);
}

function isOneOf(
  rules: Readonly<Record<string, readonly string[]>>,
  verb: string,
  role: string | undefined,
): boolean {
  return role !== undefined && rules[verb]?.includes(role) === true;
}

/** What the actor is to the workflow; undefined: a stranger who may not even read it. */
export function findRole(actor: Actor, workflow: RoleStanding): WorkflowRole | undefined {
  if (actor.kind === 'anonymous') return isPublic(workflow) ? 'ANONYMOUS' : undefined;
  return STANDINGS.find(([, holds]) => holds(actor.userId, workflow))?.[0];
}

function findWorkspaceRole(actor: Actor, workspace: WorkspaceStanding): TeamRole | undefined {
  if (actor.kind === 'anonymous') return undefined;
  if (workspace.team_id !== null) return workspace.team_role ?? undefined;
  return workspace.user_id === actor.userId ? 'OWNER' : undefined;
}

/** Whether anyone may read it. */
function isPublic({ link_permission, is_published }: RoleStanding): boolean {
  return link_permission !== 'PRIVATE' || is_published;
}

/** Whether readers who cannot edit it may copy it; a published template is there to be copied unless it says no. */
function allowsDuplicate({ link_permission, is_published, publish_settings }: WorkflowStanding): boolean {
  if (link_permission === 'DUPLICATE') return true;
  return is_published && (publish_settings?.allowDuplicate ?? publish_settings?.isTemplate) === true;
}

/** Whether the role may, on any workflow; for `duplicate` ask `can`. */
export function canDo(role: WorkflowRole | undefined, verb: Exclude<WorkflowVerb, 'duplicate'>): boolean {
  return isOneOf(WORKFLOW_RULES, verb, role);
}

/** The actor's role, or the refusal that fits: 404 without the workflow, 401 for nobody, 403 for somebody else. */
export function authorize<W extends WorkflowStanding>(
  actor: Actor,
  verb: WorkflowVerb,
  workflow: W | undefined,
): { readonly workflow: W; readonly role: WorkflowRole } {
  if (workflow === undefined) throw new AppError('not_found', 'Workflow not found.');
  const role = findRole(actor, workflow);
  if (role !== undefined && can(actor, verb, { workflow })) return { workflow, role };
  if (actor.kind === 'anonymous') {
    throw new AppError('unauthorized', 'This workflow is not public. Send Authorization: Bearer sk-….', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  throw new AppError('forbidden', `You don't have permission to ${PERMISSION_TEXTS[verb]}.`);
}

const PERMISSION_TEXTS: Readonly<Record<WorkflowVerb, string>> = {
  read: 'view this workflow. Ask its owner to share it with you',
  duplicate: 'duplicate this workflow. Ask its owner to allow it',
  edit: 'edit this workflow. Ask its owner for the role EDITOR or OWNER',
  run: 'run this workflow. Ask its owner for the role EDITOR or OWNER',
  delete: 'delete this workflow. Only its owner can',
  share: 'share this workflow. Only its owner can',
  publish: 'publish this workflow or change its visibility. Only its owner can',
  budget: 'set the budget of this workflow. Only its owner can',
  move: 'move this workflow. Only its owner can',
};

const PERSONAL = 'user:';

/** The pool a workflow runs and pays on: its team's, or its creator's own. */
export function getWorkspaceId(workflow: {
  readonly team_id: string | null;
  readonly user_id: number;
}): string {
  return workflow.team_id ?? userWorkspace(workflow.user_id);
}

/** Whether the workspace is a team's, not somebody's own. */
export const isTeam = (workspace: string): boolean => !workspace.startsWith(PERSONAL);

/** The name of a user's personal workspace; as a `teamId` it names the personal team. */
export function userWorkspace(userId: number): string {
  return `${PERSONAL}${userId}`;
}
