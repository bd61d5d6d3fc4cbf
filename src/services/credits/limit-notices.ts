// Notifies members of teams and owners of API keys that they have spent a part of their monthly limit.
import type { Tx } from '../../store/db.ts';
import { insertNotice } from '../../store/notices.ts';
import { claimRefusedLimit, type ReachedLimit, type SpenderLimit } from '../../store/spenders.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';

/** Notifies of a limit that a run would exceed, once a month. */
export async function notifyRefusedLimit(tx: Tx, limit: SpenderLimit): Promise<void> {
  if (await claimRefusedLimit(tx, limit.owner)) await notifyLimit(tx, { ...limit, percent: 100 });
}

/** Notifies the user; at 100% of a member's limit, the owners of the team too. */
export function notifyLimit(tx: Tx, limit: ReachedLimit): Promise<void> {
  const { kind, owner, user_id, percent } = limit;
  const tellsOwners = percent >= 100 && limit.team_id !== null;
  return insertNotice(tx, {
    kind: 'credit_limit',
    cause: `${owner} ${new Date().toISOString().slice(0, 7)} ${percent}`,
    workspace: tellsOwners ? limit.team_id : getPersonalWorkspaceId(user_id),
    userId: user_id,
    ...describe(limit),
    link: kind === 'key' ? '/settings/keys' : tellsOwners ? '/settings/teams' : '/settings/credits',
  });
}

function describe({ kind, name, team_name, limit, spent, percent }: ReachedLimit) {
  const used = `${Math.min(spent, limit).toLocaleString('en-US')} of ${limit.toLocaleString('en-US')} credits of this month (UTC) are spent or reserved`;
  if (kind === 'key')
    return {
      title:
        percent >= 100
          ? `The API key “${name}” has reached its limit`
          : `The API key “${name}” has spent ${percent}% of its limit`,
      text: `${used}.${percent >= 100 ? ' Runs that would exceed the limit are refused. Raise the limit of the key, or wait until next month.' : ''}`,
    };
  return {
    title:
      percent >= 100
        ? `${name} has reached the monthly limit in “${team_name}”`
        : `You have spent ${percent}% of your limit in “${team_name}”`,
    text: `${used}.${percent >= 100 ? ' Runs that would exceed the limit are refused. An OWNER of the team can raise the limit.' : ''}`,
  };
}
