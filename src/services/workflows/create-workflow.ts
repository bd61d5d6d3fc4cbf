// Creates a personal workflow or, if the body has an id, replaces an existing one.
import { mergeIssues } from '../../graph/issues.ts';
import { newId } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import type { NewMedia } from '../../store/media/media.ts';
import { insertVersion } from '../../store/workflows/versions.ts';
import { insertWorkflow, type NewWorkflow } from '../../store/workflows/writes.ts';
import { authorize, getWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { recordCalls } from '../components/record-calls.ts';
import type { Deps } from '../deps.ts';
import { dropMedia } from '../media/receive-file.ts';
import { insertMediaWithinQuota, requireStorageForGraph } from '../media/storage-quota.ts';
import { findAssigneeIssues } from './assignee-warnings.ts';
import {
  type CommittedWorkflow,
  commitChange,
  getWrittenWorkflow,
  lockForEdit,
  mergeSentFields,
  prepareReplacement,
  presentCommitted,
} from './commit-workflow.ts';
import { editTransaction } from './edit-transaction.ts';
import { performWrite } from './graph-work.ts';
import { withMediaWarnings } from './missing-media.ts';
import type { PresentedWorkflow } from './present-workflow.ts';
import { describeIgnored } from './sent-fields.ts';
import { removeSupplied } from './supplied-warnings.ts';
import { CreateWorkflowBody } from './workflow.schema.ts';
import {
  requirePersonalFolder,
  requireUsableMedia,
  resolveMoveWithinWorkspace,
} from './workflow-location.ts';
import { changeSecrets, encryptSecrets } from './workflow-secrets.ts';
import type { GraphInput, GraphWrite } from './write-graph.ts';

export interface CreatedWorkflow extends PresentedWorkflow {
  readonly id: string;
}

/**
 * Creates or replaces a workflow. Throws 400 `invalid_graph`, `folder_workspace_mismatch`, 403 for media or a folder
 * without access.
 */
export async function createWorkflow(
  deps: Deps,
  actor: Actor,
  body: CreateWorkflowBody,
  { autoLayout = body.autoLayout }: Pick<GraphInput, 'autoLayout'> = {},
): Promise<CreatedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const acceptedKeys = Object.keys(CreateWorkflowBody.properties);
  const ignoredKeys = Object.keys(body).filter(key => !acceptedKeys.includes(key));
  const ignored = describeIgnored(ignoredKeys, 'POST', acceptedKeys);
  if (body.id !== undefined) return replaceWorkflow(deps, user, body.id, body, ignored);
  const input = { nodes: body.nodes, edges: body.edges, autoLayout };
  const write = await performWrite(deps, user, { kind: 'write', input });
  const fields = {
    ...createBlankRow(body.name),
    description: body.description ?? null,
    tags: body.tags ?? [],
    is_active: body.isActive ?? true,
    webhook_id: body.webhookId ?? null,
    media_id: body.mediaId ?? null,
    folder_id: body.folderId ?? null,
    secrets: encryptSecrets(deps, body.secrets ?? null),
  };
  return commitNewWorkflow(deps, user, { fields, write, warnings: ignored });
}

type NewFields = Omit<NewWorkflow, 'id' | 'user_id'>;

/** Defaults of a new workflow. */
export function createBlankRow(name: string): NewFields {
  return {
    name,
    description: null,
    tags: [],
    is_active: true,
    webhook_id: null,
    media_id: null,
    folder_id: null,
    secrets: null,
  };
}

export interface NewWorkflowCommit {
  readonly fields: NewFields;
  /** Rows of stored files, inserted in the same transaction. If the transaction fails, the files are deleted. */
  readonly media?: readonly NewMedia[];
  readonly write: GraphWrite;
  readonly warnings: readonly string[];
  /** Called in the same transaction before the workflow is inserted. */
  readonly beforeInsert?: (tx: Tx) => Promise<void>;
  /** Called in the same transaction after the workflow was inserted. */
  readonly afterInsert?: (tx: Tx, workflowId: string) => Promise<void>;
}

/** Stores a new personal workflow of the user. */
export async function commitNewWorkflow(
  deps: Deps,
  user: UserActor,
  { fields, media = [], write, warnings, beforeInsert, afterInsert }: NewWorkflowCommit,
): Promise<CreatedWorkflow> {
  const id = newId('workflow', deps.now());
  const store = async (tx: Tx): Promise<CommittedWorkflow> => {
    await requireUsableMedia(tx, user, fields.media_id);
    await requirePersonalFolder(tx, user, fields.folder_id);
    await beforeInsert?.(tx);
    await insertNewWorkflow(deps, tx, user, { id, fields, write });
    // After the versions that the workflow calls were locked: a cleanup that holds one of them may wait for the account.
    await insertMediaWithinQuota(tx, deps.settings, media);
    await afterInsert?.(tx, id);
    const workflow = await getWrittenWorkflow(tx, id, user);
    const view = { workflow, actor: user, role: 'OWNER' as const };
    const owner = { workspace: getWorkspaceId(workflow), workflowId: id };
    const issueList = await removeSupplied(deps, tx, write.issueList, owner);
    const assigneeIssues = await findAssigneeIssues(tx, deps.settings, write.text, owner);
    const checked = { ...write, issueList: mergeIssues(issueList, assigneeIssues) };
    return { view, write: await withMediaWarnings(tx, checked), warnings };
  };
  const committed = await deps.db.transaction(store).catch(async (err: unknown) => {
    await dropMedia(deps, media);
    throw err;
  });
  return { id, ...presentCommitted(deps, committed) };
}

/** Inserts a personal workflow of the user with its first version. */
export async function insertNewWorkflow(
  deps: Deps,
  tx: Tx,
  user: UserActor,
  { id, fields, write }: { readonly id: string } & Pick<NewWorkflowCommit, 'fields' | 'write'>,
): Promise<void> {
  await insertWorkflow(tx, { id, user_id: user.userId, ...fields });
  await insertVersion(tx, { workflowId: id, version: 1, graph: write.text, userId: user.userId });
  await recordCalls(tx, user, { workflowId: id, version: 1, replaced: [], write });
  await requireStorageForGraph(tx, deps.settings, user, write.text);
}

/** Replaces a workflow like a PUT, and also sets its media. Unlike a PUT, rejects a folder of another workspace. */
async function replaceWorkflow(
  deps: Deps,
  user: UserActor,
  id: string,
  body: CreateWorkflowBody,
  warnings: readonly string[],
): Promise<CreatedWorkflow> {
  const committed = await editTransaction(deps, user, async (tx, runTask) => {
    const view = await lockForEdit(tx, user, id);
    const { workflow } = view;
    const isMediaChanged = body.mediaId !== undefined && body.mediaId !== workflow.media_id;
    if (isMediaChanged) {
      // The owner of the linked media becomes an owner of the workflow, so only an owner may link it.
      authorize(user, 'share', workflow);
      await requireUsableMedia(tx, user, body.mediaId ?? null);
    }
    const isMoved = body.folderId !== undefined && body.folderId !== workflow.folder_id;
    const location = isMoved
      ? await resolveMoveWithinWorkspace(tx, user, workflow, body.folderId ?? null)
      : {};
    const { secrets, warnings: secretWarnings } = await changeSecrets(deps, tx, user, workflow, body.secrets);
    const fields = {
      ...mergeSentFields(body, workflow),
      ...location,
      media_id: body.mediaId === undefined ? workflow.media_id : body.mediaId,
      secrets,
    };
    const write = await prepareReplacement(deps, tx, view, { ...body, runTask });
    return commitChange(deps, tx, view, { fields, write, warnings: [...warnings, ...secretWarnings] });
  });
  return { id, ...presentCommitted(deps, committed) };
}
