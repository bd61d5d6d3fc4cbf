// Copies of a workflow: a duplicate beside it, or a file that another service can import. Secrets stay behind.

import { findWorkflow } from '../../store/workflows/workflows.ts';
import { authorize, canDo } from '../accounts/access.ts';
import type { Actor } from '../accounts/actor.ts';
import { requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { CreatedWorkflow } from './create-workflow.ts';
import { storeNew } from './create-workflow.ts';
import type { WorkflowView } from './present-workflow.ts';
import { openForReading, readableText } from './read-workflow.ts';
import type { DuplicateBody, ImportBody } from './workflow.schema.ts';
import { WORKFLOW_FORMAT } from './workflow.schema.ts';
import { prepareGraph, unchanged } from './write-graph.ts';

const MAX_NAME = 200;

/** A personal copy, private and unpublished; of another's workflow only what its readers see. Throws 403, 404. */
export async function duplicateWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  body: DuplicateBody,
): Promise<CreatedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const { workflow, role } = authorize(user, 'duplicate', await findWorkflow(deps.db, id, user.userId));
  const text = await readableText(deps, { workflow, role, actor: user });
  const fields = {
    name: body?.name ?? copyName(workflow.name),
    description: workflow.description,
    tags: workflow.tags,
    isActive: true,
    webhookId: null,
    mediaId: null,
    folderId: body?.folderId ?? null,
    secrets: null,
  };
  return storeNew(deps, user, {
    fields,
    write: unchanged(text),
    warnings: [],
  });
}

function copyName(name: string): string {
  const suffix = ' (copy)';
  return `${name.slice(0, MAX_NAME - suffix.length).toWellFormed()}${suffix}`;
}

/** One self-contained file, as JSON text, and its name. For those who may duplicate. */
export async function exportWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
): Promise<{ readonly text: string; readonly fileName: string }> {
  const view = await openForReading(deps, actor, id);
  const { workflow } = view;
  if (!canDo(view.role, 'edit')) authorize(view.actor, 'duplicate', workflow);
  const head = JSON.stringify({
    format: WORKFLOW_FORMAT,
    formatVersion: 1,
    exportedAt: new Date(deps.now()).toISOString(),
    name: workflow.name,
    description: workflow.description,
    tags: workflow.tags,
  });
  return { text: `${head.slice(0, -1)},${await readableText(deps, view)}}`, fileName: fileNameOf(view) };
}

function fileNameOf({ workflow }: WorkflowView): string {
  const name = workflow.name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return `${name.slice(0, 80) || 'workflow'}.json`;
}

/** A new personal workflow from an exported file. Throws 400 `invalid_graph`. */
export async function importWorkflow(deps: Deps, actor: Actor, body: ImportBody): Promise<CreatedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const write = prepareGraph(deps, { nodes: body.nodes, edges: body.edges, autoLayout: false });
  const fields = {
    name: body.name,
    description: body.description ?? null,
    tags: body.tags ?? [],
    isActive: true,
    webhookId: null,
    mediaId: null,
    folderId: null,
    secrets: null,
  };
  return storeNew(deps, user, { fields, write: { ...write, warnings: [] }, warnings: [] });
}
