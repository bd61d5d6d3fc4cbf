// Defines what batches, schedules and triggers have in common.

/** Whose automations to list: the automations of a workflow, or of all workflows of a user. */
export type AutomationOwner =
  | { readonly workflowId: string }
  | {
      readonly userId: number;
      /** Leaves out the automations of these teams. */
      readonly withoutTeams: readonly string[];
    };

/** Returns the teams whose automations to leave out. */
export const listLeftOut = (owner: AutomationOwner): readonly string[] =>
  'workflowId' in owner ? [] : owner.withoutTeams;

/** Why the service paused a schedule or trigger. */
export const PAUSE_REASONS = ['access_lost', 'credits', 'unpublished', 'failures'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Whether a due time of a schedule, or an event of a trigger, started a run. */
export const OUTCOMES = ['accepted', 'skipped', 'refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Returns an SQL column with the name of the workflow of an automation or batch. */
export const selectWorkflowName = (table: string): string =>
  `(select w.name from workflows w where w.id = ${table}.workflow_id) as workflow_name`;
