// Defines the messages of the credits settings.
import { formatNumber } from '../../../lib/format.ts';

export const messages = {
  description: (workspace: string): string =>
    `Credits for ${workspace}, the active workspace. One credit is 0.01 USD.`,
  balance: 'Balance',
  reserved: 'Reserved by runs',
  ownLimit: 'Your limit',
  spentOf: (spent: number, limit: number): string =>
    `${formatNumber(spent)} of ${formatNumber(limit)} this month`,
  spent: 'Spent in this period',
  spending: 'Spending',
  period: 'Period',
  periods: { 7: 'Last 7 days', 30: 'Last 30 days', 90: 'Last 90 days' },
  byDay: 'Credits per day',
  highestDay: (credits: number): string => `Highest day: ${formatNumber(credits)}`,
  day: (day: string, credits: number): string => `${day}: ${formatNumber(credits)}`,
  noSpending: 'No spending in this period.',
  share: 'Share',
  byModel: 'By model',
  model: 'Model',
  calls: 'Calls',
  credits: 'Credits',
  unknownModel: 'Not recorded',
  byWorkflow: 'By workflow',
  workflow: 'Workflow',
  deletedWorkflow: 'Deleted workflow',
  byKey: 'On keys of this workspace',
  key: 'Key',
  provider: 'Provider',
  usd: 'USD',
  callsOf: (calls: number, unpriced: number): string =>
    unpriced === 0
      ? formatNumber(calls)
      : `${formatNumber(calls)} (${formatNumber(unpriced)} of unknown cost)`,
  budgets: 'Daily budgets',
  noBudgets: 'No budgets yet. Set one in a workflow to limit what its runs can cost per day.',
  budget: 'Daily budget',
  spentToday: 'Spent today',
  change: 'Change',
  changeOf: (name: string): string => `Change the budget for ${name}`,
  budgetHint: 'Credits per day (UTC). Leave empty for no budget.',
  budgetChanged: (name: string): string => `The budget for ${name} was changed.`,
  ledger: 'Transactions',
  noLedger: 'No transactions yet.',
  kind: 'Type',
  kinds: {
    grant: 'Granted',
    hold: 'Reserved',
    charge: 'Charged',
    release: 'Released',
    overrun: 'Not covered',
  },
  amount: 'Amount',
  when: 'Date',
  note: 'Note',
  run: 'Run',
} as const;
