// Records in the audit log which memberships groups gave, changed and took.
import { type AuditCaller, recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Transaction } from '../../store/db.ts';
import type { MembershipChange } from './store.ts';

/** Above this number, the rows of a commit would take long to store, so that a team gets one row with counts. */
const MAX_ROWS = 200;

export function recordMemberships(
  tx: Transaction,
  caller: AuditCaller,
  changes: readonly MembershipChange[],
): void {
  if (changes.length <= MAX_ROWS) for (const change of changes) recordMembership(tx, caller, change);
  else
    for (const [teamId, ofTeam] of Map.groupBy(changes, ({ team_id }) => team_id)) {
      const after = {
        members: ofTeam.length,
        removed: ofTeam.filter(({ wanted }) => wanted === null).length,
      };
      recordAudit(tx, caller, { action: 'members.changed', target: teamId, teamId, after });
    }
}

function recordMembership(
  tx: Transaction,
  caller: AuditCaller,
  { user_id, team_id: teamId, current, wanted }: MembershipChange,
): void {
  const action =
    wanted === null ? 'member.removed' : current === null ? 'member.added' : ('member.changed' as const);
  recordAudit(tx, caller, {
    action,
    target: toUserTarget(user_id),
    teamId,
    ...(current === null ? {} : { before: { role: current } }),
    ...(wanted === null ? {} : { after: { role: wanted, byGroup: true } }),
  });
}
