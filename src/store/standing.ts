// SQL of standing that comes from having made something: in a team it lasts as long as the membership.

/** Whether the user is in the team. Both are SQL. */
export const isMember = (teamId: string, userId: string): string =>
  `exists (select from team_members t where t.team_id = ${teamId} and t.user_id = ${userId})`;

/** Whether the user created the workflow `w`, and has not left its team since. */
export const isCreator = (userId: string): string =>
  `(w.user_id = ${userId} and (w.team_id is null or ${isMember('w.team_id', userId)}))`;

/**
 * Whether something that the user made in the workspace is still theirs: the workspace is personal, a team that the user is
 * in, or a team that is gone. A scalar, so that no plan makes a join of it and reads a list in another order.
 */
export const keepsStanding = (workspace: string, userId: string): string =>
  `coalesce((select ${isMember('g.id', userId)} from teams g where g.id = ${workspace}), true)`;
