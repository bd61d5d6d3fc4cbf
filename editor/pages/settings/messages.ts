// Defines the messages that all parts of the settings share.
import { formatNumber } from '../../lib/format.ts';
import { messages as sharedMessages } from '../../messages.ts';

const PLANS: Readonly<Record<string, string>> = {
  free: 'Free',
  starter: 'Starter',
  pro: 'Pro',
  enterprise: 'Enterprise',
  self_hosted: 'Self-hosted',
};

export const messages = {
  title: sharedMessages.nav.settings,
  allParts: 'All settings',
  groups: { own: 'Your account', workspace: 'Workspaces', admin: 'Administration' },
  parts: {
    profile: 'Profile',
    password: 'Password',
    security: 'Security',
    sessions: 'Sessions',
    notices: 'Notices',
    connections: 'Connected apps',
    keys: 'API keys',
    teams: 'Teams',
    credits: 'Credits',
    spending: 'Spending',
    'all-spending': 'All spending',
    users: 'Users',
    'provider-keys': 'Workspace provider keys',
    overview: 'Overview',
    'all-teams': 'All teams',
    groups: 'Groups',
    backup: 'Backup',
    providers: 'Shared provider keys',
    workload: 'Queue',
    mails: 'Mails',
    models: 'Models',
    audit: 'Audit log',
    'team-audit': 'Team audit log',
  },
  name: sharedMessages.common.name,
  /** Operators name plans in PLANS_FILE. These are the names of the plans that the service defines. */
  planName: (name: string): string => PLANS[name] ?? name,
  email: 'Email',
  role: 'Role',
  roles: { OWNER: 'Owner', EDITOR: 'Editor', VIEWER: 'Viewer' },
  never: 'Never',
  created: 'Created',
  copy: 'Copy',
  done: 'Done',
  limit: {
    label: 'Monthly limit',
    hint: 'Credits per month (UTC). Leave empty for no limit.',
    thisMonth: 'This month',
    spent: (spent: number, limit: number | null): string =>
      limit === null ? formatNumber(spent) : `${formatNumber(spent)} of ${formatNumber(limit)}`,
    set: 'Set limit',
    setOf: (name: string): string => `Set limit of ${name}`,
    titleOf: (name: string): string => `Monthly limit of ${name}`,
    changed: (name: string): string => `The limit of ${name} was changed.`,
  },
  credits: {
    amount: 'Credits',
    amountHint: 'A negative amount revokes credits. One credit is 0.01 USD.',
    note: 'Note',
    noteHint: 'Appears in the list of transactions.',
    granted: (name: string, balance: number): string => `${name} now has ${formatNumber(balance)} credits.`,
  },
} as const;
