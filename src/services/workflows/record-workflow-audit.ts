// Records actions on a workflow in the audit log.
import type { AuditAction } from '../../store/audit/actions.ts';
import { type AuditCaller, type AuditEntry, recordAudit } from '../../store/audit/record-audit.ts';
import type { Transaction } from '../../store/db.ts';
import type { WorkflowRow } from '../../store/workflows/workflows.ts';

export function recordWorkflowAudit(
  tx: Transaction,
  caller: AuditCaller,
  action: AuditAction,
  { id, name, team_id }: Pick<WorkflowRow, 'id' | 'name' | 'team_id'>,
  fields: Pick<AuditEntry, 'before' | 'after'> = {},
): void {
  recordAudit(tx, caller, { action, target: id, name, teamId: team_id, ...fields });
}
