// Lists and restores the versions of a workflow's graph. Every write that changes the graph creates one.
import { requireFound } from '../../lib/errors.ts';
import { findVersion, listVersions, type VersionRow } from '../../store/workflows/versions.ts';
import { findWorkflow, type WorkflowRow } from '../../store/workflows/workflows.ts';
import { authorize, getWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { loadPolicy } from '../accounts/team-policy.ts';
import type { Deps } from '../deps.ts';
import { byNumber, type Page, type PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { commitChange, lockForEdit, presentCommitted } from './commit-workflow.ts';
import { editTransaction } from './edit-transaction.ts';
import type { PresentedWorkflow } from './present-workflow.ts';
import { recordWorkflowAudit } from './record-workflow-audit.ts';
import { reuseStoredText } from './write-graph.ts';

/** Lists versions, newest first, without their graphs. */
export async function listHistory(
  deps: Deps,
  actor: Actor,
  id: string,
  query: PageQuery,
): Promise<Page<unknown>> {
  const workflow = await getWorkflowForEditor(deps, actor, id);
  return readPage(
    query,
    byNumber('version'),
    page => listVersions(deps.db, id, page),
    row => presentVersion(row, workflow),
  );
}

/** Returns a version with its graph, as JSON text. Throws 404. */
export async function readVersion(deps: Deps, actor: Actor, id: string, number: number): Promise<string> {
  const workflow = await getWorkflowForEditor(deps, actor, id);
  const message = `Version ${number} of the workflow was not found.`;
  const row = requireFound(await findVersion(deps.db, id, number), message);
  const { text } = await deps.versions.get(deps.db, id, number);
  const head = JSON.stringify({ workflowId: id, ...presentVersion(row, workflow) });
  return `${head.slice(0, -1)},${text}}`;
}

/** Restores the graph of a version as a new version. It is linted, since the catalog may have changed. */
export async function restoreVersion(
  deps: Deps,
  actor: Actor,
  id: string,
  { number, mayBreakApp }: { readonly number: number; readonly mayBreakApp?: boolean | undefined },
): Promise<PresentedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const committed = await editTransaction(deps, user, async (tx, runTask) => {
    const view = await lockForEdit(tx, user, id);
    const current = await deps.versions.get(tx, id, view.workflow.version);
    const version = await deps.versions.get(tx, id, number);
    const isSame = version.text === current.text;
    const caller = { id, versions: [view.workflow.version, number] };
    const policy = await loadPolicy(tx, getWorkspaceId(view.workflow));
    // The version is compared with itself, so that deprecated nodes are not reported as new and positions are restored.
    const write = isSame
      ? reuseStoredText(current.text)
      : runTask<'restore'>(number, { kind: 'restore', stored: version, policy }, caller);
    recordWorkflowAudit(tx, user, 'workflow.version_restored', view.workflow, { after: { version: number } });
    return commitChange(deps, tx, view, {
      fields: {},
      write,
      warnings: [],
      mayBreakApp,
      restoredVersion: number,
    });
  });
  return presentCommitted(deps, committed);
}

async function getWorkflowForEditor(deps: Deps, actor: Actor, id: string): Promise<WorkflowRow> {
  const user = requireScope(actor, 'workflows:read');
  return authorize(user, 'edit', await findWorkflow(deps.db, id, user.userId)).workflow;
}

function presentVersion(row: VersionRow, workflow: WorkflowRow) {
  return {
    ...presentColumns(row, 'version user_id user_name created_at'),
    isCurrent: row.version === workflow.version,
    isPublished: row.version === workflow.published_version,
  };
}
