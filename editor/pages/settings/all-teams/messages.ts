// Defines the messages of the list of all teams.
import { formatNumber } from '../../../lib/format.ts';

export const messages = {
  description:
    'Teams of this instance. A new team starts with 0 credits; add credits so that its runs can call models.',
  newUsers: (plan: string, credits: number): string =>
    `New users get the plan ${plan} and ${formatNumber(credits)} credits, unless an invitation says otherwise.`,
  search: 'Search',
  searchHint: 'Team name',
  team: 'Team',
  owners: 'Owners',
  noOwner: 'None',
  members: 'Members',
  balance: 'Credits',
  reserved: (credits: number): string => `${formatNumber(credits)} reserved`,
  spent: 'Spent this month',
  created: 'Created',
  emptyTitle: 'No teams yet',
  empty: 'Users create teams in their settings.',
  noMatchTitle: 'No matching teams',
  noMatch: 'Search for another name.',
  actionsOf: (team: string): string => `Actions for ${team}`,
  addCredits: 'Add credits',
  addTitle: (team: string): string => `Add credits to ${team}`,
  budgets: 'Set budgets',
  budgetsTitle: (team: string): string => `Daily budgets for ${team}`,
  budgetsDescription:
    'Runs that would exceed the budget of the day (UTC) are refused. Leave a field empty for no budget.',
  noWorkflows: 'This team has no workflows yet.',
  spentToday: 'Spent today',
  budgetOf: (workflow: string): string => `Daily budget for ${workflow}`,
  wholeBudget: 'Daily budget for all runs of the team',
  budgetSaved: (workflow: string): string => `The budget for ${workflow} was saved.`,
  viewRuns: 'View runs',
} as const;
