// Copies a template to a new workflow of the caller, with the sample results that it was recorded with.
import type { Step } from '../../engine/types.ts';
import { createPlan, type PlanNode } from '../../graph/plan.ts';
import type { MediaRef, Values } from '../../graph/types.ts';
import { AppError, isNotFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { getPersonalWorkspaceId } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import {
  type CreatedWorkflow,
  commitNewWorkflow,
  createBlankRow,
} from '../../services/workflows/create-workflow.ts';
import { duplicateWorkflow } from '../../services/workflows/duplicate-workflow.ts';
import { performWrite } from '../../services/workflows/graph-work.ts';
import type { DuplicateBody } from '../../services/workflows/workflow.schema.ts';
import type { Tx } from '../../store/db.ts';
import { insertSampleRun } from '../../store/runs.ts';
import { setSamplePoster } from '../../store/workflows/writes.ts';
import type { RunDeps } from '../deps.ts';
import { findTranscriptionServer, replaceTranscriptions } from './local-transcription.ts';
import { lockSampleFiles, type SampleFiles, storeSampleFiles } from './sample-media.ts';
import {
  CARD_PATH,
  getSamplePath,
  resolveOutputs,
  type Sample,
  type ShippedTemplate,
} from './template-files.ts';

/**
 * Copies a shipped template with its sample, or duplicates a published template like any workflow. Throws 404, 403, and
 * 400 for an invalid folder.
 */
export async function duplicateTemplate(
  deps: RunDeps,
  actor: Actor,
  id: string,
  { body, signal }: { readonly body: DuplicateBody; readonly signal: AbortSignal },
): Promise<CreatedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const shipped = deps.shippedTemplates.find(id);
  if (shipped === undefined)
    return duplicateWorkflow(deps, actor, toWorkflowId(id), { body, signal }).catch((err: unknown) => {
      throw isNotFound(err) ? createTemplateNotFoundError() : err;
    });
  const server = await findTranscriptionServer(deps, deps.db, getPersonalWorkspaceId(user.userId));
  const create = async (files: SampleFiles): Promise<CreatedWorkflow> => {
    const stored = shipped.resolveGraph(name => files.get(getSamplePath(name))?.url);
    const graph = server === undefined ? stored : replaceTranscriptions(stored, server);
    const { nodes, edges } = graph;
    // Nodes that were added have no place of their own.
    const input = { nodes, edges, autoLayout: nodes.length > stored.nodes.length };
    return commitNewWorkflow(deps, user, {
      fields: {
        ...createBlankRow(body.name ?? shipped.title),
        description: shipped.description,
        tags: shipped.tags,
        folder_id: body.folderId ?? null,
      },
      write: await performWrite(deps, user, { kind: 'write', input }),
      warnings: [],
      afterInsert: (tx, workflowId) => recordSample(deps, tx, { user, workflowId, template: shipped, files }),
    });
  };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      return await create(await storeSampleFiles(deps, shipped, signal));
    } catch (err) {
      if (!(err instanceof SampleDeletedError)) throw err;
    }
  }
  throw new AppError('unavailable', "The template's sample files could not be stored. Try again.", {
    headers: { 'retry-after': '1' },
  });
}

/** Copying is repeated, because a sweep may delete a stored file before the commit makes the file used. */
const MAX_ATTEMPTS = 3;
class SampleDeletedError extends Error {}

async function recordSample(
  deps: RunDeps,
  tx: Tx,
  copy: {
    readonly user: UserActor;
    readonly workflowId: string;
    readonly template: ShippedTemplate;
    readonly files: SampleFiles;
  },
): Promise<void> {
  const { user, workflowId, template, files } = copy;
  if (!(await lockSampleFiles(tx, template, files)))
    throw new SampleDeletedError('A sample file was deleted in the meantime. Try again.');
  await setSamplePoster(tx, workflowId, (files.get(CARD_PATH) as MediaRef).mediaId);
  const { sample } = template;
  if (sample === undefined) return;
  const planResult = createPlan(template.graph, deps.catalog);
  const nodes = planResult.ok ? planResult.plan.nodes : [];
  await insertSampleRun(tx, {
    id: newId('execution', deps.now()),
    workflow_id: workflowId,
    user_id: user.userId,
    workspace: getPersonalWorkspaceId(user.userId),
    nodes_total: nodes.length,
    steps: toSampleSteps(sample, {
      nodes,
      atMs: deps.now(),
      find: name => files.get(getSamplePath(name)) as MediaRef,
    }),
    created_at: new Date(deps.now()),
  });
}

interface SampleStepOptions {
  /** The nodes that run. Those without a result were skipped. */
  readonly nodes: readonly Pick<PlanNode, 'id'>[];
  readonly atMs: number;
  readonly find: (name: string) => MediaRef;
}

/** Returns the recorded results of the sample as steps of a completed run. */
export function toSampleSteps(
  { outputs }: Sample,
  { nodes, atMs, find }: SampleStepOptions,
): readonly Step[] {
  const completedSteps = Object.entries(resolveOutputs(outputs, find)).map(
    ([nodeId, values]): Step => ({
      nodeId,
      status: 'COMPLETED',
      outputs: values as Values,
      attempt: 1,
      startedAtMs: atMs,
      finishedAtMs: atMs,
      fromSample: true,
    }),
  );
  const skippedSteps = nodes
    .filter(({ id }) => !Object.hasOwn(outputs, id))
    .map(({ id }): Step => ({ nodeId: id, status: 'SKIPPED', attempt: 0 }));
  return [...completedSteps, ...skippedSteps];
}

export const createTemplateNotFoundError = (): AppError => new AppError('not_found', 'Template not found.');

/** Returns the workflow ID of a published template's ID; any other ID is returned unchanged. */
export const toWorkflowId = (templateId: string): string => templateId.replace(/^tpl_/, 'wf_');
