// Decides who may do what: a user's relation to a workflow or workspace gives a role, and a table maps roles to
// actions.
import { AppError } from '../../lib/errors.ts';
import type { TeamRole } from '../../store/teams.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { type Actor, createUnauthorizedError } from './actor.ts';

export type WorkflowRole = 'OWNER' | 'EDITOR' | 'VIEWER' | 'ANONYMOUS';

/** The columns of a workflow that decide its readers' roles. */
export type RoleColumns = Pick<
  ReadWorkflowRow,
  'user_id' | 'team_id' | 'media_user_id' | 'share_role' | 'team_role' | 'link_permission' | 'is_published'
>;

/** The columns of a workflow that decide its readers' actions: their roles, and the settings that allow duplication. */
export type AccessColumns = RoleColumns & Pick<ReadWorkflowRow, 'publish_settings'>;

/** A workspace as seen by one user: a team with the user's role, or a personal workspace with its owner. */
export interface WorkspaceAccess {
  readonly user_id: number;
  readonly team_id: string | null;
  readonly team_role: TeamRole | null;
}

/** The roles that may perform each action on a workflow. */
const WORKFLOW_RULES = {
  read: ['OWNER', 'EDITOR', 'VIEWER', 'ANONYMOUS'],
  /** Readers who cannot edit the workflow also need its permission to duplicate it. */
  duplicate: ['OWNER', 'EDITOR', 'VIEWER', 'ANONYMOUS'],
  /** Graph, fields, layout, versions, heartbeat and run history. */
  edit: ['OWNER', 'EDITOR'],
  /** Start, cancel and resume runs; the workspace pays. */
  run: ['OWNER', 'EDITOR'],
  delete: ['OWNER'],
  share: ['OWNER'],
  /** Includes visibility. */
  publish: ['OWNER'],
  budget: ['OWNER'],
  /** To another folder. Only the creator can move it to another workspace (workflow-location.ts). */
  move: ['OWNER'],
} as const satisfies Record<string, readonly WorkflowRole[]>;

/** The roles that may perform each action in a workspace. */
const WORKSPACE_RULES = {
  read: ['OWNER', 'EDITOR', 'VIEWER'],
  /** Create, change and delete folders, and add workflows to them. */
  edit: ['OWNER', 'EDITOR'],
  /** Change members and their roles. */
  manage: ['OWNER'],
} as const satisfies Record<string, readonly TeamRole[]>;

export type WorkflowAction = keyof typeof WORKFLOW_RULES;
export type WorkspaceAction = keyof typeof WORKSPACE_RULES;

/** The roles with their conditions, strongest role first. The first condition that is met gives the role. */
const ROLE_CONDITIONS: readonly (readonly [
  WorkflowRole,
  (userId: number, workflow: RoleColumns) => boolean,
])[] = [
  ['OWNER', isStillCreator],
  // The owner of the linked media also owns the workflow.
  ['OWNER', (userId, workflow) => workflow.media_user_id === userId && isStillInTeam(workflow)],
  ['OWNER', (_, { share_role }) => share_role === 'OWNER'],
  ['OWNER', (_, { team_role }) => team_role === 'OWNER'],
  ['EDITOR', (_, { share_role }) => share_role === 'EDIT'],
  ['EDITOR', (_, { team_role }) => team_role === 'EDITOR'],
  ['VIEWER', (_, { share_role }) => share_role === 'VIEW'],
  ['VIEWER', (_, { team_role }) => team_role === 'VIEWER'],
  ['VIEWER', (_, workflow) => isPublic(workflow)],
];

/** Returns whether the user created the workflow and is still in its team. */
function isStillCreator(userId: number, workflow: MembershipColumns & Pick<RoleColumns, 'user_id'>): boolean {
  return workflow.user_id === userId && isStillInTeam(workflow);
}

type MembershipColumns = Pick<RoleColumns, 'team_id' | 'team_role'>;

/** Returns whether the user is still in the workflow's team. A creator who leaves the team loses access. */
function isStillInTeam({ team_id, team_role }: MembershipColumns): boolean {
  return team_id === null || team_role !== null;
}

/**
 * Returns whether the actor created the workflow and is still in its team. Only the creator sees its secrets and may
 * move it to another workspace.
 */
export function isCreator(actor: Actor, workflow: MembershipColumns & Pick<RoleColumns, 'user_id'>): boolean {
  return actor.kind === 'user' && isStillCreator(actor.userId, workflow);
}

/** Returns whether the actor has a role other than the one that a public workflow gives to everyone. */
export function hasOwnRole(actor: Actor, workflow: RoleColumns): boolean {
  return findRole(actor, { ...workflow, link_permission: 'PRIVATE', is_published: false }) !== undefined;
}

/** Returns whether the actor may perform the action. Does not check scopes: services call `requireScope` first. */
export function can(actor: Actor, action: WorkflowAction, workflow: AccessColumns): boolean {
  const role = findRole(actor, workflow);
  if (action !== 'duplicate') return roleAllows(role, action);
  return role !== undefined && (roleAllows(role, 'edit') || allowsDuplicate(workflow));
}

/** Returns whether the role allows the action in any workflow. For `duplicate`, use `can`. */
export function roleAllows(
  role: WorkflowRole | undefined,
  action: Exclude<WorkflowAction, 'duplicate'>,
): boolean {
  return WORKFLOW_RULES[action].some(allowed => allowed === role);
}

/**
 * Returns whether the actor may perform the action in the workspace. Does not check scopes. Throws 403 like `requireOpenTeam`.
 */
export function canInWorkspace(actor: Actor, action: WorkspaceAction, workspace: WorkspaceAccess): boolean {
  requireOpenTeam(actor, workspace.team_id);
  const role = findWorkspaceRole(actor, workspace);
  return WORKSPACE_RULES[action].some(allowed => allowed === role);
}

/** Lists the teams that `requireOpenTeam` refuses. */
export const listClosedTeams = (actor: Actor): readonly string[] =>
  actor.kind === 'user' ? [...(actor.closedTeams ?? [])] : [];

/** Throws 403 `second_factor_required` if the team requires a second factor that the actor lacks. */
export function requireOpenTeam(actor: Actor, teamId: string | null): void {
  if (!isClosed(actor, teamId)) return;
  throw new AppError(
    'second_factor_required',
    'The team requires a second factor. Set one up at Settings → Security, or confirm it: POST /auth/reauthenticate.',
    { details: { teamId } },
  );
}

/** Throws 403 `second_factor_required` if any team of the actor requires a second factor that the actor lacks. */
export function requireOpenTeams(actor: Actor): void {
  for (const teamId of listClosedTeams(actor)) requireOpenTeam(actor, teamId);
}

const isClosed = (actor: Actor, teamId: string | null): boolean =>
  teamId !== null && actor.kind === 'user' && actor.closedTeams?.has(teamId) === true;

/** Returns the actor's role in the workflow; undefined if the actor may not even read it. */
export function findRole(actor: Actor, workflow: RoleColumns): WorkflowRole | undefined {
  if (isClosed(actor, workflow.team_id)) return undefined;
  if (actor.kind === 'anonymous') return isPublic(workflow) ? 'ANONYMOUS' : undefined;
  return ROLE_CONDITIONS.find(([, applies]) => applies(actor.userId, workflow))?.[0];
}

function findWorkspaceRole(actor: Actor, workspace: WorkspaceAccess): TeamRole | undefined {
  if (actor.kind === 'anonymous') return undefined;
  if (workspace.team_id !== null) return workspace.team_role ?? undefined;
  return workspace.user_id === actor.userId ? 'OWNER' : undefined;
}

/** Returns whether anyone may read the workflow. */
function isPublic({ link_permission, is_published }: RoleColumns): boolean {
  return link_permission !== 'PRIVATE' || is_published;
}

/** Returns whether readers who cannot edit the workflow may copy it. They may copy a published template by default. */
function allowsDuplicate({ link_permission, is_published, publish_settings }: AccessColumns): boolean {
  if (link_permission === 'DUPLICATE') return true;
  return is_published && (publish_settings?.allowDuplicate ?? publish_settings?.isTemplate) === true;
}

/**
 * Returns the workflow and the actor's role. Throws 404 if `workflow` is undefined. Without permission, throws 401 for
 * an anonymous caller and 403 for a user.
 */
export function authorize<W extends AccessColumns>(
  actor: Actor,
  action: WorkflowAction,
  workflow: W | undefined,
): { readonly workflow: W; readonly role: WorkflowRole } {
  if (workflow === undefined) throw new AppError('not_found', 'Workflow not found.');
  requireOpenTeam(actor, workflow.team_id);
  const role = findRole(actor, workflow);
  if (role !== undefined && can(actor, action, workflow)) return { workflow, role };
  if (actor.kind === 'anonymous') {
    throw createUnauthorizedError('This workflow is not public. Send Authorization: Bearer sk-….');
  }
  throw new AppError('forbidden', `You don't have permission to ${PERMISSION_TEXTS[action]}.`);
}

const PERMISSION_TEXTS: Readonly<Record<WorkflowAction, string>> = {
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

const PERSONAL_PREFIX = 'user:';

/** Returns the ID of the workspace that pays for the workflow's runs: the team, or the creator's personal workspace. */
export function getWorkspaceId(workflow: {
  readonly team_id: string | null;
  readonly user_id: number;
}): string {
  return workflow.team_id ?? getPersonalWorkspaceId(workflow.user_id);
}

/** Returns whether the workspace belongs to a team. */
export const isTeamWorkspace = (workspaceId: string): boolean => !workspaceId.startsWith(PERSONAL_PREFIX);

/** Returns the id of the team that owns the workspace; null for a personal workspace and for the instance. */
export const toTeamId = (workspace: string | null): string | null =>
  workspace !== null && isTeamWorkspace(workspace) ? workspace : null;

/** Returns the ID of a user's personal workspace, which the API also accepts as a `teamId`. */
export function getPersonalWorkspaceId(userId: number): string {
  return `${PERSONAL_PREFIX}${userId}`;
}
