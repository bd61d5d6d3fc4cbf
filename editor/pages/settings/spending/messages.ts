// Defines the messages of the spending pages.
import { formatNumber, formatUsd } from '../../../lib/format.ts';

export const messages = {
  description: (workspace: string): string =>
    `Who spent what in ${workspace}, on which model and key. One credit is 0.01 USD. Choose a row to see only its costs.`,
  instanceDescription:
    'Who spent what in all workspaces, on which model and key. One credit is 0.01 USD. Choose a row to see only its costs.',
  download: 'Download CSV',
  groupBy: 'Group by',
  groups: {
    team: 'Workspace',
    member: 'Member',
    key: 'API key',
    workflow: 'Workflow',
    model: 'Model',
    provider: 'Provider',
    credential: 'Provider key',
  },
  period: 'Period',
  periods: {
    month: 'This month',
    'last-month': 'Last month',
    30: 'Last 30 days',
    90: 'Last 90 days',
    366: 'Last 366 days',
    custom: 'Other days',
  },
  from: 'From',
  to: 'To',
  only: (group: string, label: string): string => `${group}: ${label}`,
  remove: (filter: string): string => `Remove the filter ${filter}`,
  showOnly: (label: string): string => `Show only ${label}`,
  total: 'Spent',
  credits: 'Credits',
  usd: 'Own keys (USD)',
  calls: 'Calls',
  runs: 'Runs',
  amount: (credits: number, usd: number): string =>
    usd === 0
      ? `${formatNumber(credits)} credits`
      : `${formatNumber(credits)} credits and ${formatUsd(usd)} on own keys`,
  totalOf: (calls: number, runs: number): string =>
    `${formatNumber(calls)} calls in ${formatNumber(runs)} runs`,
  others: 'Others',
  none: 'No spending in this period.',
  allowed: 'Who allowed it',
  changes: {
    'member.limited': 'Limits of members',
    'policy.changed': 'Policies',
    'budget.changed': 'Daily budgets',
    'credits.granted': 'Granted credits',
  },
} as const;
