// Accepting a run: who may, of which graph, with which inputs; then one commit with its job, and the answer.
import { canonicalJson } from '../lib/canonical-json.ts';
import { sha256Hex } from '../lib/crypto.ts';
import { AppError, toError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { findExecution, findIdempotencyKey } from '../store/executions.ts';
import { findWorkflow } from '../store/workflows.ts';
import { authorize, workspaceOf } from './access.ts';
import type { Actor } from './actor.ts';
import { requireScope } from './actor.ts';
import type { Deps } from './deps.ts';
import type { RunRequest } from './run-request.ts';
import { inputOverrides, planRequest, runRequestText } from './run-request.ts';
import { parseWebhook, sealTarget } from './webhook-target.ts';

export type RunRoute = 'run' | 'execute' | 'resume';

export interface StartRunInput {
  readonly workflowId: string;
  readonly route: RunRoute;
  readonly request: RunRequest;
  /** As sent; `parseWebhook` checks it. */
  readonly webhook?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly trigger: string;
}

export interface AcceptedRun {
  readonly executionId: string;
  readonly workflowId: string;
  readonly status: 'QUEUED';
  readonly estimatedCredits: number;
  readonly createdAt: string;
  /** The idempotency key had been used: this is the first answer again. */
  readonly replayed: boolean;
}

/**
 * Starts a run of the workflow's current graph and resolves once it is sure to execute.
 * Refusals leave nothing behind, an idempotency key included.
 */
export async function startRun(deps: Deps, actor: Actor, input: StartRunInput): Promise<AcceptedRun> {
  const user = requireScope(actor, 'workflows:execute');
  const webhook = parseWebhook(deps.settings, input.webhook);
  const { workflow } = authorize(actor, 'run', await findWorkflow(deps.db, input.workflowId, user.userId));
  const idempotency = input.idempotencyKey === undefined ? null : idempotencyOf(input, input.idempotencyKey);
  if (idempotency !== null) {
    const first = await replay(deps, user.userId, workflow.id, idempotency);
    if (first !== undefined) return first;
  }
  if (!workflow.is_active)
    throw new AppError('workflow_inactive', 'The workflow is switched off: set isActive to true to run it.');
  const version = await deps.versions.get(deps.db, workflow.id, workflow.version);
  const plan = planRequest(deps, version, input.request.targets);
  inputOverrides(deps, version.graph, input.request.inputs);

  const id = newId('execution');
  const createdAt = new Date(deps.now()).toISOString();
  const stored = await accept(deps, {
    id,
    workflow_id: workflow.id,
    workflow_version: workflow.version,
    user_id: user.userId,
    workspace: workspaceOf(workflow),
    trigger: input.trigger,
    request: runRequestText(input.request),
    webhook: webhook === undefined ? null : sealTarget(deps, webhook),
    // With an outside database another process may run it while a caller of this one waits.
    watched: deps.settings.DATABASE_URL !== undefined,
    nodes_total: plan.nodes.length,
    resumed_from_id: null,
    created_at: createdAt,
    steps: [],
    idempotency,
  });
  if (stored)
    return {
      executionId: id,
      workflowId: workflow.id,
      status: 'QUEUED',
      estimatedCredits: 0,
      createdAt,
      replayed: false,
    };
  // Another process was first with this key, a moment ago.
  const first = idempotency && (await replay(deps, user.userId, workflow.id, idempotency));
  if (first) return first;
  throw new AppError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still in flight.',
    { headers: { 'retry-after': '1' } },
  );
}

/** The commit, and where its outcome is unknown, the question whether the run is there (decisions.md §5). */
async function accept(deps: Deps, run: Parameters<Deps['runs']['accept']>[0]): Promise<boolean> {
  try {
    return await deps.runs.accept(run);
  } catch (err) {
    if (err instanceof AppError) throw err;
    const found = await findExecution(deps.db, run.id).catch((lookupError: unknown) => {
      throw new AppError(
        'internal_error',
        'It is not known whether the run was accepted: look for executionId before you try again.',
        {
          cause: new AggregateError([toError(err), toError(lookupError)]),
          details: { executionId: run.id },
        },
      );
    });
    if (found !== undefined) return true;
    throw err;
  }
}

interface Idempotency {
  readonly route: RunRoute;
  readonly key: string;
  readonly body_hash: string;
}

function idempotencyOf(input: StartRunInput, key: string): Idempotency {
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new AppError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
  }
  return {
    route: input.route,
    key,
    body_hash: sha256Hex(canonicalJson({ ...input.request, webhook: input.webhook ?? null })),
  };
}

/** The answer that the first request with the key got; undefined where there was none in 24 hours. */
async function replay(
  deps: Deps,
  userId: number,
  workflowId: string,
  { route, key, body_hash }: Idempotency,
): Promise<AcceptedRun | undefined> {
  const row = await findIdempotencyKey(deps.db, { userId, workflowId, route, key });
  if (row === undefined) return undefined;
  if (row.body_hash.toString('hex') !== body_hash) {
    throw new AppError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body in the last 24 hours: use a new key for a new run.',
    );
  }
  const execution = await findExecution(deps.db, row.execution_id);
  if (execution === undefined) return undefined;
  return {
    executionId: execution.id,
    workflowId: execution.workflow_id,
    status: 'QUEUED',
    estimatedCredits: 0,
    createdAt: execution.created_at.toISOString(),
    replayed: true,
  };
}
