// Creates, changes and deletes triggers, and runs them by hand.
import { randomBytes } from 'node:crypto';
import { encrypt, sha256 } from '../../lib/crypto.ts';
import { AppError, invalidField } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import { parseOutboundUrl } from '../../lib/fetch.ts';
import { newId } from '../../lib/ids.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { readRunVersion, toPlainRun } from '../../runs/run-version.ts';
import { startRun } from '../../runs/start-run.ts';
import { authorize, getWorkspaceId } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { toInboxPrefix } from '../../services/media/inbox-media.ts';
import {
  countActiveTriggers,
  deleteTrigger,
  insertTrigger,
  leadsTo,
  lockTrigger,
  lockTriggers,
  type NewTrigger,
  type TriggerKind,
  type TriggerRow,
  updateTrigger,
} from '../../store/automation/triggers.ts';
import type { Tx } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import { findWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { DEFAULT_FEED_MINUTES, firstPollAt } from './advance-trigger.ts';
import { mapInputs } from './map-inputs.ts';
import { getTriggerRow, presentTrigger } from './read-trigger.ts';
import { recordStart, toRunInput } from './start-items.ts';
import type { ChangeTriggerBody, CreateTriggerBody, TriggerConfig } from './trigger.schema.ts';

const MAX_ACTIVE = 100;
const TOKEN_BYTES = 32;

/** The members that the configuration of each kind may have, and those that it must have. */
const MEMBERS: Readonly<
  Record<TriggerKind, { readonly may: readonly (keyof TriggerConfig)[]; readonly must?: keyof TriggerConfig }>
> = {
  hook: { may: ['secret'] },
  after: { may: ['workflowId', 'statuses'], must: 'workflowId' },
  feed: { may: ['url', 'everyMinutes'], must: 'url' },
  bucket: { may: ['prefix'] },
};

/** Stores a trigger. Throws 400 for a configuration of another kind, 409 if there are too many. */
export async function createTrigger(
  deps: RunDeps,
  actor: Actor,
  workflowId: string,
  body: CreateTriggerBody,
) {
  const user = requireScope(actor, 'workflows:execute');
  const { workflow } = authorize(user, 'run', await findWorkflow(deps.db, workflowId, user.userId));
  const { kind, inputs = {}, config = {}, isActive = true } = body;
  const id = newId('trigger', deps.now());
  await requireInputs(deps, workflow, inputs);
  const token = kind === 'hook' ? newToken() : undefined;
  const trigger: NewTrigger = {
    id,
    workflow_id: workflow.id,
    user_id: user.userId,
    workspace: getWorkspaceId(workflow),
    kind,
    name: body.name ?? DEFAULT_NAMES[kind],
    inputs: JSON.stringify(inputs),
    max_credits: body.maxCredits ?? null,
    is_active: isActive,
    token_hash: token === undefined ? null : sha256(token),
    poll_at: firstPollAt(kind, deps.now()),
    ...(await parseConfig(deps, user, { id, kind }, config)),
  };
  const row = await deps.db.transaction(async tx => {
    await requirePossible(tx, trigger);
    const stored = await insertTrigger(tx, trigger);
    await enqueue(tx, 'automation', [id]);
    return stored;
  });
  deps.wakeTimers.set('deliveries', 0);
  return { ...presentTrigger(row), ...presentToken(deps, token) };
}

const DEFAULT_NAMES: Readonly<Record<TriggerKind, string>> = {
  hook: 'Hook',
  after: 'After a workflow',
  feed: 'Feed',
  bucket: 'New file',
};

const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

const presentToken = ({ settings }: RunDeps, token: string | undefined) =>
  token === undefined ? {} : { url: `${settings.BASE_URL}/in/${token}` };

/** Changes a trigger. An activated one starts without the failures of before. */
export async function changeTrigger(deps: RunDeps, actor: Actor, id: string, body: ChangeTriggerBody) {
  const user = requireScope(actor, 'workflows:execute');
  const before = await getTriggerRow(deps, user, id, 'run');
  const workflow = await findWorkflow(deps.db, before.workflow_id, user.userId);
  if (body.inputs !== undefined && workflow !== undefined) await requireInputs(deps, workflow, body.inputs);
  if (body.renewToken === true && before.kind !== 'hook')
    throw invalidField('/renewToken', 'is for triggers of the kind hook only');
  const token = body.renewToken === true ? newToken() : undefined;
  const config = body.config && (await parseConfig(deps, user, before, mergeConfig(before, body.config)));
  const row = await deps.db.transaction(async tx => {
    await lockTriggers(tx);
    const current = await lockTrigger(tx, id);
    if (current === undefined) throw new AppError('not_found', 'Trigger not found.');
    const isActivated = body.isActive === true && !current.is_active;
    const sourceChanged = before.kind === 'feed' && body.config?.url !== undefined;
    const change = {
      ...config,
      // An absent secret stays.
      ...(body.config?.secret === undefined ? { secret: current.secret } : {}),
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.inputs === undefined ? {} : { inputs: JSON.stringify(body.inputs) }),
      ...(body.maxCredits === undefined ? {} : { max_credits: body.maxCredits }),
      ...(body.isActive === undefined ? {} : { is_active: body.isActive, paused_reason: null }),
      ...(token === undefined ? {} : { token_hash: sha256(token) }),
      ...(isActivated ? { failures_in_a_row: 0 } : {}),
      ...(isActivated || sourceChanged ? { poll_at: firstPollAt(current.kind, deps.now()) } : {}),
      // Another feed has a baseline of its own.
      ...(sourceChanged ? { has_baseline: false } : {}),
    };
    const changed = { ...current, ...change };
    if (isActivated || changed.source_id !== current.source_id) await requirePossible(tx, changed);
    await updateTrigger(tx, id, change);
    await enqueue(tx, 'automation', [id]);
    return changed;
  });
  deps.wakeTimers.set('deliveries', 0);
  return { ...presentTrigger(row), ...presentToken(deps, token) };
}

function mergeConfig({ config }: TriggerRow, change: TriggerConfig): TriggerConfig {
  return { ...(JSON.parse(config) as TriggerConfig), ...change };
}

export async function removeTrigger(deps: RunDeps, actor: Actor, id: string): Promise<void> {
  await getTriggerRow(deps, actor, id, 'run');
  await deleteTrigger(deps.db, id);
}

/**
 * Starts a run with this payload, as the caller. Works for a paused trigger too, and a failure does not count. Throws
 * the errors of starting a run.
 */
export async function runTrigger(deps: RunDeps, actor: Actor, id: string, payload: unknown) {
  const trigger = await getTriggerRow(deps, actor, id, 'run');
  const executionId = newId('execution', deps.now());
  await startRun(
    deps,
    actor,
    toRunInput(trigger, mapInputs(trigger.inputs, payload), executionId, executionId),
  );
  await deps.db.transaction(tx => recordStart(tx, trigger.id, executionId, 'Run by hand'));
  return { executionId };
}

/** Throws 400 `invalid_inputs` for a node that is not an input of the workflow. */
async function requireInputs(
  deps: RunDeps,
  workflow: ReadWorkflowRow,
  inputs: Readonly<Record<string, string>>,
): Promise<void> {
  const { graph } = await readRunVersion(deps, toPlainRun(workflow.id, workflow.version));
  const nodes = new Map(graph.nodes.map(node => [node.id, node]));
  for (const nodeId of Object.keys(inputs)) {
    const node = nodes.get(nodeId);
    if (node !== undefined && deps.findNode(node.data.nodeType)?.runInput !== undefined) continue;
    throw new AppError('invalid_inputs', `The workflow has no input node ${JSON.stringify(nodeId)}.`, {
      issues: [
        { path: `/inputs/${nodeId}`, nodeId, code: 'invalid_inputs', message: 'is not an input node' },
      ],
    });
  }
}

/** Checks the configuration and returns its columns. Throws 400, 403, 404. */
async function parseConfig(
  deps: RunDeps,
  user: UserActor,
  { id, kind }: Pick<TriggerRow, 'id' | 'kind'>,
  given: TriggerConfig,
): Promise<Pick<NewTrigger, 'config' | 'source_id' | 'statuses' | 'secret'>> {
  const { may, must } = MEMBERS[kind];
  const unknown = Object.keys(given).find(name => !(may as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw invalidField(`/config/${unknown}`, `is not for triggers of the kind ${kind}`, unknown);
  if (must !== undefined && given[must] === undefined)
    throw invalidField(`/config/${must}`, 'is required', must);
  const { secret, ...config } = given;
  const columns = {
    config: JSON.stringify(config),
    source_id: null,
    statuses: null,
    secret: typeof secret === 'string' ? encrypt(deps.secretsKey, secret) : null,
  };
  if (kind === 'after') {
    const source = await findWorkflow(deps.db, config.workflowId ?? '', user.userId);
    authorize(user, 'edit', source);
    const statuses = config.statuses ?? ['COMPLETED'];
    return {
      ...columns,
      config: JSON.stringify({ ...config, statuses }),
      source_id: config.workflowId ?? null,
      statuses,
    };
  }
  if (kind === 'feed') {
    const { everyMinutes = DEFAULT_FEED_MINUTES } = config;
    return { ...columns, config: JSON.stringify({ url: parseFeedUrl(config.url ?? ''), everyMinutes }) };
  }
  if (kind === 'bucket') {
    const own = toInboxPrefix(id);
    const { prefix = own } = config;
    // Files of other people may be below any other prefix.
    if (!prefix.startsWith(own)) requireScope(user, 'instance:admin');
    if (prefix !== own && deps.bucket === undefined)
      throw invalidField(
        '/config/prefix',
        'needs a bucket, and this service stores files on its disk',
        'prefix',
      );
    return { ...columns, config: JSON.stringify({ prefix }) };
  }
  return columns;
}

function parseFeedUrl(text: string): string {
  try {
    return parseOutboundUrl(text.trim()).href;
  } catch (err) {
    if (!(err instanceof FetchError)) throw err;
    throw invalidField('/config/url', 'must be an http or https URL without a user name or password', 'url');
  }
}

/** Throws 409 if the workspace has too many active triggers, or if runs would start each other in a circle. */
async function requirePossible(tx: Tx, trigger: NewTrigger): Promise<void> {
  await lockTriggers(tx);
  if (trigger.is_active && (await countActiveTriggers(tx, trigger.workspace)) >= MAX_ACTIVE)
    throw new AppError(
      'conflict',
      `The workspace already has ${MAX_ACTIVE} active triggers. Pause or delete one first.`,
    );
  if (trigger.source_id !== null && (await leadsTo(tx, trigger.workflow_id, trigger.source_id)))
    throw new AppError(
      'conflict',
      'Runs would start each other in a circle: the followed workflow runs after this one. Choose another.',
    );
}
