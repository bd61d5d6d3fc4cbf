// Manages stored credentials: create, list, read, change and delete. Values are encrypted and never returned.
import { encrypt } from '../../lib/crypto.ts';
import { AppError, createFieldError } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import { parseOutboundUrl } from '../../lib/fetch.ts';
import { newId } from '../../lib/ids.ts';
import { type ProviderName, type ServerRoute, toServerKey } from '../../providers/names.ts';
import type { AuditAction } from '../../store/audit/actions.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import { insertServers, removeServer, resetServer } from '../../store/comfyui-servers.ts';
import {
  type CredentialRow,
  clearDefault,
  countCredentials,
  deleteUnusedValues,
  hasDefaultCredential,
  hasServer,
  insertCredential,
  listCredentials,
  listInstanceDefaults,
  lockCredential,
  lockCredentials,
  type NewValue,
  removeCredential,
  replaceValue,
  updateCredential,
} from '../../store/credentials.ts';
import type { Tx } from '../../store/db.ts';
import { toTeamId } from '../accounts/access.ts';
import { type Actor, requireScope, requireUser } from '../accounts/actor.ts';
import { parseName } from '../accounts/names.ts';
import type { Deps } from '../deps.ts';
import { byId, readPage } from '../paging.ts';
import type {
  ChangeCredentialBody,
  CreateCredentialBody,
  ListCredentialsQuery,
} from './credential.schema.ts';
import type { RunCredential } from './credential.ts';
import {
  createCredentialNotFoundError,
  getVisibleCredential,
  requireCanManage,
  requireCredentialsEnabled,
  resolveOwner,
} from './credential-access.ts';
import { requireUnused } from './credential-uses.ts';
import { DEFAULT_POOL } from './pools.ts';
import {
  presentCredential,
  presentEnvironment,
  presentStored,
  readServerStates,
} from './present-credential.ts';
import { type CredentialValues, isPrivateUrl, readComfyEnvironment } from './provider-credential.ts';

/** The maximum number of credentials of the instance or of a workspace. */
const MAX_CREDENTIALS = 50;

/** Stores a credential. Throws 403, 403 `credentials_off`, and 409 if there are too many. */
export async function createCredential(deps: Deps, actor: Actor, input: CreateCredentialBody) {
  const { userId } = requireUser(actor);
  requireCredentialsEnabled(deps);
  const owner = await resolveOwner(deps.db, actor, input);
  requireCanManage(actor, owner);
  const name = parseName(input.name);
  const { workspace } = owner;
  const { kind, server = null } = input;
  const values = parseValues(kind, input.values);
  if (kind !== 'openai' && server !== null)
    throw createFieldError('/server', 'is only for credentials of kind openai');
  const comfy = toComfyFields(kind, input);
  requirePublicServer(deps, { workspace, server }, values);
  const value = toNewValue(deps, values);
  const row = await deps.db.transaction(async tx => {
    await lockCredentials(tx, workspace);
    if ((await countCredentials(tx, workspace)) >= MAX_CREDENTIALS)
      throw new AppError('conflict', `There are already ${MAX_CREDENTIALS} credentials. Delete one first.`);
    if (server !== null) await requireFreeServerName(deps, tx, workspace, server);
    const newRow = {
      id: newId('credential'),
      workspace,
      kind,
      name,
      // Nodes without a server must not begin to use a server because it was added first.
      is_default: input.isDefault ?? (server === null && !(await hasDefaultCredential(tx, workspace, kind))),
      daily_usd_limit: input.dailyUsdLimit ?? null,
      created_by: userId,
      server,
      serves: toServes(kind, input.serves),
      ...comfy,
    };
    const stored = await insertCredential(tx, newRow, value);
    if (kind === 'comfyui') await insertServers(tx, [stored.id]);
    recordAudit(tx, requireUser(actor), {
      ...describeTarget('credential.created', stored),
      after: describeFields(stored),
    });
    return stored;
  });
  logChange(deps, userId, 'created', row);
  return presentStored(deps, row, owner);
}

/** Lists the credentials of an owner. The list of the instance starts with the credentials of the environment. */
export async function listOwnCredentials(deps: Deps, actor: Actor, query: ListCredentialsQuery) {
  const owner = await resolveOwner(deps.db, actor, {
    owner: query.owner ?? 'workspace',
    teamId: query.teamId,
  });
  const { workspace } = owner;
  const page = await readPage(
    query,
    byId('credential'),
    ({ after, limit }) => listCredentials(deps.db, { workspace, kind: query.kind ?? null, after, limit }),
    row => row,
  );
  const isFirst = workspace === null && query.cursor === undefined;
  const environment = isFirst
    ? listEnvironment(deps).filter(({ kind }) => query.kind === undefined || kind === query.kind)
    : [];
  const defaults = isFirst ? await listInstanceDefaults(deps.db) : [];
  const states = await readServerStates(deps, [...environment, ...page.data]);
  const data = [
    ...environment.map(entry => presentEnvironment(entry, defaults, states)),
    ...page.data.map(row => presentCredential(row, owner, states)),
  ];
  return { ...page, data };
}

/** Returns a credential without its values. Throws 404 if the caller may not see it. */
export async function readCredential(deps: Deps, actor: Actor, id: string) {
  const environment = findEnvironmentCredential(deps, actor, id);
  if (environment !== undefined) {
    const states = await readServerStates(deps, [environment]);
    return presentEnvironment(environment, await listInstanceDefaults(deps.db), states);
  }
  const { row, owner } = await getVisibleCredential(deps.db, actor, id);
  return presentStored(deps, row, owner);
}

/** Changes the credential. New values apply to calls that are submitted from now on. */
export async function changeCredential(deps: Deps, actor: Actor, id: string, input: ChangeCredentialBody) {
  const { userId } = requireUser(actor);
  requireCredentialsEnabled(deps);
  requireStoredCredential(deps, actor, id);
  const { owner } = await getVisibleCredential(deps.db, actor, id);
  requireCanManage(actor, owner);
  const row = await deps.db.transaction(async tx => {
    await lockCredentials(tx, owner.workspace);
    const current = await lockCredential(tx, id);
    if (current === undefined) throw createCredentialNotFoundError();
    if (input.values !== undefined) {
      const values = parseValues(current.kind as ProviderName, input.values);
      requirePublicServer(deps, current, values);
      await replaceValue(tx, id, toNewValue(deps, values));
      if (current.kind === 'comfyui') await resetServer(tx, id);
    }
    const isDefault = input.isDefault ?? current.is_default;
    if (isDefault && !current.is_default) await clearDefault(tx, current.workspace, current.kind);
    const changed = await updateCredential(tx, {
      ...current,
      name: input.name === undefined ? current.name : parseName(input.name),
      is_default: isDefault,
      daily_usd_limit: input.dailyUsdLimit === undefined ? current.daily_usd_limit : input.dailyUsdLimit,
      // Another server may be behind new values.
      serves:
        input.serves === undefined && input.values === undefined
          ? current.serves
          : toServes(current.kind, input.serves),
      ...toComfyFields(current.kind, input, current),
    });
    recordAudit(tx, requireUser(actor), {
      ...describeTarget('credential.changed', changed),
      before: describeFields(current),
      after: { ...describeFields(changed), ...(input.values === undefined ? {} : { hasNewValues: true }) },
    });
    return changed;
  });
  logChange(deps, userId, input.values === undefined ? 'changed' : 'replaced', row);
  return presentStored(deps, row, owner);
}

/**
 * Deletes the credential, which calls in flight can still use. Throws 409 `credential_in_use` unless `force` is set.
 */
export async function deleteCredential(
  deps: Deps,
  actor: Actor,
  id: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  const { userId } = requireUser(actor);
  requireCredentialsEnabled(deps);
  requireStoredCredential(deps, actor, id);
  const { row, owner } = await getVisibleCredential(deps.db, actor, id);
  requireCanManage(actor, owner);
  await deps.db.transaction(async tx => {
    await lockCredentials(tx, owner.workspace);
    if ((await lockCredential(tx, id)) === undefined) throw createCredentialNotFoundError();
    if (!force) await requireUnused(tx, row);
    await removeCredential(tx, id);
    if (row.kind === 'comfyui') await removeServer(tx, id);
    recordAudit(tx, requireUser(actor), { ...describeTarget('credential.deleted', row), after: { force } });
  });
  logChange(deps, userId, 'deleted', row);
}

const describeTarget = <A extends AuditAction>(action: A, { id, name, workspace }: CredentialRow) => ({
  action,
  target: id,
  name,
  teamId: toTeamId(workspace),
});

/** The fields of a credential that the audit log shows: never its values. */
const describeFields = ({
  kind,
  name,
  is_default,
  daily_usd_limit,
  server,
  serves,
  workspace,
  pool,
  max_concurrent,
  is_draining,
}: CredentialRow) => ({
  kind,
  name,
  owner: workspace === null ? 'instance' : 'workspace',
  isDefault: is_default,
  dailyUsdLimit: daily_usd_limit,
  server,
  serves,
  ...(pool === null ? {} : { pool, maxConcurrent: max_concurrent, isDraining: is_draining }),
});

/** Returns the environment's credential with this id. Throws 401 for anyone but an administrator. */
export function findEnvironmentCredential(
  deps: Pick<Deps, 'environmentCredentials' | 'settings'>,
  actor: Actor,
  id: string,
): RunCredential | undefined {
  const credential = listEnvironment(deps).find(credential => credential.id === id);
  if (credential !== undefined) requireScope(actor, 'instance:admin');
  return credential;
}

const listEnvironment = ({
  environmentCredentials,
  settings,
}: Pick<Deps, 'environmentCredentials' | 'settings'>): readonly RunCredential[] => [
  ...environmentCredentials.values(),
  ...readComfyEnvironment(settings).slice(1),
];

/** Returns the fields that only ComfyUI servers have. Throws 400 if another kind sets them. */
function toComfyFields(
  kind: string,
  {
    pool,
    maxConcurrent,
    isDraining,
  }: {
    readonly pool?: string | undefined;
    readonly maxConcurrent?: number | undefined;
    readonly isDraining?: boolean | undefined;
  },
  current: Pick<CredentialRow, 'pool' | 'max_concurrent' | 'is_draining'> = {
    pool: kind === 'comfyui' ? DEFAULT_POOL : null,
    max_concurrent: 1,
    is_draining: false,
  },
) {
  const [foreign] =
    kind === 'comfyui'
      ? []
      : Object.entries({ pool, maxConcurrent, isDraining }).filter(([, value]) => value !== undefined);
  if (foreign !== undefined)
    throw createFieldError(`/${foreign[0]}`, 'is only for credentials of kind comfyui');
  return {
    pool: pool === undefined ? current.pool : parsePool(pool),
    max_concurrent: maxConcurrent ?? current.max_concurrent,
    is_draining: isDraining ?? current.is_draining,
  };
}

function parsePool(text: string): string {
  const pool = text.trim();
  if (pool === '' || /\p{Cc}/u.test(pool))
    throw createFieldError('/pool', 'must be a name without line breaks', 'pool');
  return pool;
}

function requireStoredCredential(deps: Deps, actor: Actor, id: string): void {
  if (findEnvironmentCredential(deps, actor, id) === undefined) return;
  throw new AppError(
    'forbidden',
    'This credential is set by the settings of the service. Change them and restart it.',
  );
}

const toServes = (
  kind: string,
  serves: readonly ServerRoute[] | null = null,
): readonly ServerRoute[] | null => (kind === 'openai' && serves !== null ? [...new Set(serves)] : null);

/** Throws 409 if the owner has a server with this name. The instance also has those of the environment. */
async function requireFreeServerName(
  { environmentCredentials }: Deps,
  tx: Tx,
  workspace: string | null,
  server: string,
): Promise<void> {
  const isTaken =
    (workspace === null && environmentCredentials.has(toServerKey(server))) ||
    (await hasServer(tx, workspace, server));
  if (isTaken)
    throw new AppError('conflict', `There is already a server named “${server}”. Choose another name.`);
}

/** Throws 400 if the address of a workspace's server is private by its name. Calls also check what the name resolves to. */
export function requirePublicServer(
  { settings }: Pick<Deps, 'settings'>,
  { workspace, server }: Pick<CredentialRow, 'workspace' | 'server'>,
  { baseUrl }: CredentialValues,
): void {
  if (workspace === null || server === null || baseUrl === undefined || settings.ALLOW_PRIVATE_NETWORK)
    return;
  if (isPrivateUrl(baseUrl))
    throw createFieldError(
      '/values/baseUrl',
      'must be a public address. Only an administrator can add a server with a private address, for everyone',
      'baseUrl',
    );
}

/** Returns the values of a credential without surrounding whitespace. Throws 400. */
export function parseValues(
  kind: ProviderName,
  { apiKey, baseUrl, partnerKey }: CredentialValues,
): CredentialValues {
  const key = apiKey?.trim();
  const needsKey = kind !== 'comfyui' && !(kind === 'openai' && baseUrl !== undefined);
  if (key === undefined ? needsKey : !/^[\x20-\x7e]+$/.test(key))
    throw createFieldError('/values/apiKey', 'must be an API key without line breaks', 'apiKey');
  if (baseUrl === undefined && kind === 'comfyui')
    throw createFieldError('/values/baseUrl', 'must be the address of the server', 'baseUrl');
  const partner = partnerKey?.trim();
  if (partner !== undefined && kind !== 'comfyui')
    throw createFieldError('/values/partnerKey', 'is only for credentials of kind comfyui', 'partnerKey');
  if (partner !== undefined && !/^[\x20-\x7e]+$/.test(partner))
    throw createFieldError('/values/partnerKey', 'must be a key without line breaks', 'partnerKey');
  return {
    ...(key === undefined ? {} : { apiKey: key }),
    ...(partner === undefined ? {} : { partnerKey: partner }),
    ...(baseUrl === undefined ? {} : { baseUrl: parseBaseUrl(baseUrl) }),
  };
}

function parseBaseUrl(text: string): string {
  try {
    const url = parseOutboundUrl(text.trim());
    if (url.search === '' && url.hash === '') return url.href.replace(/\/+$/, '');
  } catch (err) {
    if (!(err instanceof FetchError)) throw err;
  }
  throw createFieldError(
    '/values/baseUrl',
    'must be an http or https URL without a user name, password, query or fragment',
    'baseUrl',
  );
}

const HINT_LENGTH = 4;
/** Shorter keys get no hint, because four characters would reveal too much of the key. */
const MIN_HINTED_LENGTH = 12;

function toNewValue({ secretsKey }: Pick<Deps, 'secretsKey'>, values: CredentialValues): NewValue {
  const { apiKey = '' } = values;
  return {
    id: newId('credentialValue'),
    encrypted: encrypt(secretsKey, JSON.stringify(values)),
    hint: apiKey.length < MIN_HINTED_LENGTH ? null : apiKey.slice(-HINT_LENGTH),
    is_private: values.baseUrl !== undefined && isPrivateUrl(values.baseUrl),
  };
}

/** Records who changed a credential. The log is the service's record of such changes. */
function logChange({ log }: Pick<Deps, 'log'>, userId: number, change: string, row: CredentialRow): void {
  const { id, kind, workspace } = row;
  log.info({ userId, credentialId: id, kind, workspace, change }, 'a credential was changed');
}

/** Deletes values of replaced and deleted credentials that no call uses any more. Called every night. */
export async function sweepCredentials({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
  const count = await deleteUnusedValues(db);
  log.info({ count }, 'unused values of credentials were deleted');
}
