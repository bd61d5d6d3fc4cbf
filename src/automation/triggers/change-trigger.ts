// Creates, changes and deletes triggers, and runs triggers manually.
import { randomBytes } from 'node:crypto';
import { encrypt, sha256 } from '../../lib/crypto.ts';
import { AppError, createFieldError } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import { parseOutboundUrl } from '../../lib/fetch.ts';
import { newId } from '../../lib/ids.ts';
import { startRun } from '../../runs/accept/start-run.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { createInputFinder, createRepeatedInputError } from '../../runs/prepare/run-request.ts';
import { readRunVersion, toVersionKey } from '../../runs/prepare/run-version.ts';
import { presentSecretWarnings } from '../../runs/prepare/secret-warnings.ts';
import { authorize, getWorkspaceId, toTeamId } from '../../services/accounts/access.ts';
import { type Actor, requireScope, toSpender, type UserActor } from '../../services/accounts/actor.ts';
import { toInboxPrefix } from '../../services/media/inbox-media.ts';
import { findSecretProblem } from '../../services/webhooks/webhook-signature.ts';
import type { AuditAction } from '../../store/audit/actions.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import { toSpenderColumns } from '../../store/spenders.ts';
import { findWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { findNewSpender } from '../spender.ts';
import { DEFAULT_FEED_MINUTES, getFirstPollAt } from './advance-trigger.ts';
import { mapInputs } from './map-inputs.ts';
import { authorizeTrigger, presentTrigger } from './read-trigger.ts';
import { recordStart, toRunInput } from './start-items.ts';
import {
  countActiveTriggers,
  deleteTrigger,
  insertTrigger,
  lockTrigger,
  lockTriggers,
  type NewTrigger,
  startsRunsOf,
  type TriggerKind,
  type TriggerRow,
  updateTrigger,
} from './store.ts';
import type { ChangeTriggerBody, CreateTriggerBody, TriggerConfig } from './trigger.schema.ts';

const MAX_ACTIVE_TRIGGERS = 100;
const TOKEN_BYTES = 32;

/** The config members that each kind allows and requires. */
const CONFIG_MEMBERS: Readonly<
  Record<
    TriggerKind,
    { readonly allowed: readonly (keyof TriggerConfig)[]; readonly required?: keyof TriggerConfig }
  >
> = {
  hook: { allowed: ['secret'] },
  after: { allowed: ['workflowId', 'statuses'], required: 'workflowId' },
  feed: { allowed: ['url', 'everyMinutes'], required: 'url' },
  bucket: { allowed: ['prefix'] },
};

/** Stores a trigger. Throws 400 for a configuration that does not match the kind, and 409 `conflict`. */
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
  const pointers = await parseInputs(deps, workflow, inputs);
  const token = kind === 'hook' ? createToken() : undefined;
  const trigger: NewTrigger = {
    id,
    workflow_id: workflow.id,
    user_id: user.userId,
    ...toSpenderColumns(toSpender(user)),
    workspace: getWorkspaceId(workflow),
    kind,
    name: body.name ?? DEFAULT_NAMES[kind],
    inputs: pointers,
    max_credits: body.maxCredits ?? null,
    is_active: isActive,
    token_hash: token === undefined ? null : sha256(token),
    poll_at: getFirstPollAt(kind, deps.now()),
    ...(await parseConfig(deps, user, { id, kind }, config)),
  };
  const row = await deps.db.transaction(async tx => {
    await requireNoConflict(tx, trigger);
    const stored = await insertTrigger(tx, trigger);
    await enqueue(tx, 'automation', [id]);
    recordAudit(tx, user, { ...describeTarget('trigger.created', trigger), after: describeFields(trigger) });
    return stored;
  });
  deps.wakeTimers.wake('background');
  const warnings = await presentSecretWarnings(deps, workflow.id, workflow.version);
  return { ...presentTrigger(row), ...presentUrl(deps, token), ...warnings };
}

const DEFAULT_NAMES: Readonly<Record<TriggerKind, string>> = {
  hook: 'Hook',
  after: 'After a workflow',
  feed: 'Feed',
  bucket: 'New file',
};

const createToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

const presentUrl = ({ settings }: RunDeps, token: string | undefined) =>
  token === undefined ? {} : { url: `${settings.BASE_URL}/in/${token}` };

/** Changes a trigger. Activating a trigger resets its failure count. */
export async function changeTrigger(deps: RunDeps, actor: Actor, id: string, body: ChangeTriggerBody) {
  const user = requireScope(actor, 'workflows:execute');
  const before = await authorizeTrigger(deps, user, id, 'run');
  const workflow = await findWorkflow(deps.db, before.workflow_id, user.userId);
  const pointers =
    body.inputs === undefined || workflow === undefined
      ? undefined
      : await parseInputs(deps, workflow, body.inputs);
  if (body.renewToken === true) requireRenewable(user, before);
  const token = body.renewToken === true ? createToken() : undefined;
  const config = body.config && (await parseConfig(deps, user, before, mergeConfig(before, body.config)));
  const row = await deps.db.transaction(async tx => {
    await lockTriggers(tx);
    const current = await lockTrigger(tx, id);
    if (current === undefined) throw new AppError('not_found', 'Trigger not found.');
    const isActivated = body.isActive === true && !current.is_active;
    const isNewFeed = before.kind === 'feed' && body.config?.url !== undefined;
    const change = {
      ...config,
      // The secret stays if the request has none.
      ...(body.config?.secret === undefined ? { secret: current.secret } : {}),
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(pointers === undefined ? {} : { inputs: pointers }),
      ...(body.maxCredits === undefined ? {} : { max_credits: body.maxCredits }),
      ...(body.isActive === undefined ? {} : { is_active: body.isActive, paused_reason: null }),
      ...(token === undefined ? {} : { token_hash: sha256(token) }),
      ...(isActivated ? { failures_in_a_row: 0 } : {}),
      ...findNewSpender(user, body),
      ...(isActivated || isNewFeed ? { poll_at: getFirstPollAt(current.kind, deps.now()) } : {}),
      // The first poll of a feed starts nothing.
      ...(isNewFeed ? { has_baseline: false } : {}),
    };
    const changed = { ...current, ...change };
    if (isActivated || changed.source_id !== current.source_id) await requireNoConflict(tx, changed);
    await updateTrigger(tx, id, change);
    await enqueue(tx, 'automation', [id]);
    recordAudit(tx, user, {
      ...describeTarget('trigger.changed', changed),
      before: describeFields(current),
      after: { ...describeFields(changed), ...(token === undefined ? {} : { hasNewUrl: true }) },
    });
    return { ...changed, workflow_name: before.workflow_name };
  });
  deps.wakeTimers.wake('background');
  return { ...presentTrigger(row), ...presentUrl(deps, token) };
}

/** Who knows the token starts runs as the trigger's creator, so only the creator may get a new one. */
function requireRenewable(user: UserActor, { kind, user_id }: TriggerRow): void {
  if (kind !== 'hook') throw createFieldError('/renewToken', 'is for triggers of the kind hook only');
  if (user_id !== user.userId)
    throw new AppError(
      'forbidden',
      'Only the creator of a trigger can renew its URL. Delete the trigger, or create one of your own.',
    );
}

function mergeConfig({ config }: TriggerRow, change: TriggerConfig): TriggerConfig {
  return { ...(JSON.parse(config) as TriggerConfig), ...change };
}

export async function removeTrigger(deps: RunDeps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'workflows:execute');
  const trigger = await authorizeTrigger(deps, user, id, 'run');
  await deps.db.transaction(async tx => {
    await deleteTrigger(tx, id);
    recordAudit(tx, user, { ...describeTarget('trigger.deleted', trigger), before: describeFields(trigger) });
  });
}

type AuditedTrigger = Pick<TriggerRow, 'id' | 'name' | 'workspace' | 'kind' | 'max_credits' | 'is_active'>;

const describeTarget = <A extends AuditAction>(action: A, { id, name, workspace }: AuditedTrigger) => ({
  action,
  target: id,
  name,
  teamId: toTeamId(workspace),
});

/** The fields that the audit log shows: not the address, which may contain a secret. */
const describeFields = ({ name, kind, max_credits, is_active }: AuditedTrigger) => ({
  name,
  kind,
  maxCredits: max_credits,
  isActive: is_active,
});

/**
 * Starts a run with this payload as the caller, even if the trigger is paused. A failed run does not count toward a pause.
 * Throws the errors of `startRun`.
 */
export async function runTrigger(deps: RunDeps, actor: Actor, id: string, payload: unknown) {
  const user = requireScope(actor, 'workflows:execute');
  const trigger = await authorizeTrigger(deps, user, id, 'run');
  const executionId = newId('execution', deps.now());
  const input = toRunInput(trigger, mapInputs(trigger.inputs, payload), executionId, executionId);
  await startRun(deps, user, { ...input, origin: { ...input.origin, spender: toSpender(user) } });
  await deps.db.transaction(tx => recordStart(tx, trigger.id, executionId, 'Run by hand'));
  return { executionId };
}

/** Returns the pointers by node id, as JSON text. Throws 400 `invalid_inputs` for a key that is not an input of the workflow. */
async function parseInputs(
  deps: RunDeps,
  workflow: ReadWorkflowRow,
  inputs: Readonly<Record<string, string>>,
): Promise<string> {
  const { graph } = await readRunVersion(deps, toVersionKey(workflow.id, workflow.version));
  const findInput = createInputFinder(graph);
  const pointers = new Map<string, string>();
  for (const [key, pointer] of Object.entries(inputs)) {
    const nodeId = findInput(key);
    if (pointers.has(nodeId)) throw createRepeatedInputError(key, nodeId);
    pointers.set(nodeId, pointer);
  }
  return JSON.stringify(Object.fromEntries(pointers));
}

/** Checks the configuration and returns its columns. Throws 400, 403, 404. */
async function parseConfig(
  deps: RunDeps,
  user: UserActor,
  { id, kind }: Pick<TriggerRow, 'id' | 'kind'>,
  body: TriggerConfig,
): Promise<Pick<NewTrigger, 'config' | 'source_id' | 'statuses' | 'secret'>> {
  const { allowed, required } = CONFIG_MEMBERS[kind];
  const unknown = Object.keys(body).find(name => !(allowed as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw createFieldError(`/config/${unknown}`, `is not for triggers of the kind ${kind}`, unknown);
  if (required !== undefined && body[required] === undefined)
    throw createFieldError(`/config/${required}`, 'is required', required);
  const { secret, ...config } = body;
  const problem = findSecretProblem(secret ?? '');
  if (problem !== undefined) throw createFieldError('/config/secret', problem, 'secret');
  const defaults = {
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
      ...defaults,
      config: JSON.stringify({ ...config, statuses }),
      source_id: config.workflowId ?? null,
      statuses,
    };
  }
  if (kind === 'feed') {
    const { everyMinutes = DEFAULT_FEED_MINUTES } = config;
    return { ...defaults, config: JSON.stringify({ url: parseFeedUrl(config.url ?? ''), everyMinutes }) };
  }
  if (kind === 'bucket') {
    const ownPrefix = toInboxPrefix(id);
    const { prefix = ownPrefix } = config;
    // Another prefix may contain files of other users.
    if (!prefix.startsWith(ownPrefix)) requireScope(user, 'instance:admin');
    if (prefix !== ownPrefix && deps.bucket === undefined)
      throw createFieldError(
        '/config/prefix',
        'needs a bucket, and this service stores files on its disk',
        'prefix',
      );
    return { ...defaults, config: JSON.stringify({ prefix }) };
  }
  return defaults;
}

function parseFeedUrl(text: string): string {
  try {
    return parseOutboundUrl(text.trim()).href;
  } catch (err) {
    if (!(err instanceof FetchError)) throw err;
    throw createFieldError(
      '/config/url',
      'must be an http or https URL without a user name or password',
      'url',
    );
  }
}

/** Throws 409 `conflict` if the workspace has too many active triggers, or if runs would start each other in a circle. */
async function requireNoConflict(tx: Tx, trigger: NewTrigger): Promise<void> {
  await lockTriggers(tx);
  if (trigger.is_active && (await countActiveTriggers(tx, trigger.workspace)) >= MAX_ACTIVE_TRIGGERS)
    throw new AppError(
      'conflict',
      `The workspace already has ${MAX_ACTIVE_TRIGGERS} active triggers. Pause or delete one first.`,
    );
  if (trigger.source_id !== null && (await startsRunsOf(tx, trigger.workflow_id, trigger.source_id)))
    throw new AppError(
      'conflict',
      'Runs would start each other in a circle: the followed workflow runs after this one. Choose another.',
    );
}
