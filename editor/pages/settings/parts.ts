// Lists the parts of the settings in display order.
import { type ComponentType, lazy } from 'react';
import { AllTeams } from './all-teams/all-teams.tsx';
import { Backup } from './backup/backup.tsx';
import { Connections } from './connections/connections.tsx';
import { Credits } from './credits/credits.tsx';
import { Keys } from './keys/keys.tsx';
import type { messages } from './messages.ts';
import { Models } from './models/models.tsx';
import { Notices } from './notices/notices.tsx';
import { Overview } from './overview/overview.tsx';
import { Password } from './password/password.tsx';
import { Profile } from './profile/profile.tsx';
import { ProviderKeys, Providers } from './providers/providers.tsx';
import { Security } from './security/security.tsx';
import { Sessions } from './sessions/sessions.tsx';
import { Teams } from './teams/teams.tsx';
import { Users } from './users/users.tsx';
import { Workload } from './workload/workload.tsx';

const Groups = lazy(async () => ({ default: (await import('./groups/groups.tsx')).Groups }));
const InstanceAudit = lazy(async () => ({ default: (await import('./audit/audit.tsx')).InstanceAudit }));
const Mails = lazy(async () => ({ default: (await import('./mails/mails.tsx')).Mails }));
const TeamAudit = lazy(async () => ({ default: (await import('./audit/audit.tsx')).TeamAudit }));
const Spending = lazy(async () => ({ default: (await import('./spending/spending.tsx')).Spending }));
const AllSpending = lazy(async () => ({ default: (await import('./spending/spending.tsx')).AllSpending }));

export interface SettingsPart {
  /** The last segment of the URL. */
  readonly name: keyof typeof messages.parts;
  /** Only administrators see `admin` parts. */
  readonly group: keyof typeof messages.groups;
  readonly Part: ComponentType;
}

export const PARTS: readonly SettingsPart[] = [
  { name: 'profile', group: 'own', Part: Profile },
  { name: 'password', group: 'own', Part: Password },
  { name: 'security', group: 'own', Part: Security },
  { name: 'sessions', group: 'own', Part: Sessions },
  { name: 'notices', group: 'own', Part: Notices },
  { name: 'connections', group: 'own', Part: Connections },
  { name: 'keys', group: 'own', Part: Keys },
  { name: 'teams', group: 'workspace', Part: Teams },
  { name: 'provider-keys', group: 'workspace', Part: ProviderKeys },
  { name: 'credits', group: 'workspace', Part: Credits },
  { name: 'spending', group: 'workspace', Part: Spending },
  { name: 'team-audit', group: 'workspace', Part: TeamAudit },
  { name: 'overview', group: 'admin', Part: Overview },
  { name: 'all-spending', group: 'admin', Part: AllSpending },
  { name: 'users', group: 'admin', Part: Users },
  { name: 'all-teams', group: 'admin', Part: AllTeams },
  { name: 'groups', group: 'admin', Part: Groups },
  { name: 'providers', group: 'admin', Part: Providers },
  { name: 'audit', group: 'admin', Part: InstanceAudit },
  { name: 'mails', group: 'admin', Part: Mails },
  { name: 'workload', group: 'admin', Part: Workload },
  { name: 'models', group: 'admin', Part: Models },
  { name: 'backup', group: 'admin', Part: Backup },
];
