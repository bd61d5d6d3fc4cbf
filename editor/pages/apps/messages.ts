// Defines the texts of the list of apps.
import { formatNumber } from '../../lib/format.ts';

export const messages = {
  title: 'Apps',
  emptyTitle: 'No apps yet',
  empty: 'An app is a form that runs a workflow. Open a workflow, choose Share, then App.',
  toWorkflows: 'Go to workflows',
  open: 'Open app',
  edit: 'Open workflow',
  copy: (title: string): string => `Copy link to ${title}`,
  disabled: 'Disabled',
  audiences: {
    workspace: 'People with access',
    signed_in: 'Everyone with an account',
    anyone: 'Anyone with the link',
  },
  use: (runs: number, credits: number): string =>
    `${runs === 1 ? '1 run' : `${formatNumber(runs)} runs`}, ${credits === 1 ? '1 credit' : `${formatNumber(credits)} credits`} in 30 days`,
} as const;
