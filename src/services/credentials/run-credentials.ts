// Resolves which credentials a run uses: the workflow's choice, else the workspace's default, else the instance's.
import type { Settings } from '../../lib/settings.ts';
import type { NodeContext } from '../../nodes/define.ts';
import { type Providers, readProviders } from '../../nodes/models/providers.ts';
import {
  type CredentialKey,
  findServerName,
  type ProviderName,
  type ServerRoute,
  toProviderName,
} from '../../providers/names.ts';
import type { Endpoint, ProviderTask } from '../../providers/provider.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import {
  findCredential,
  type KeyedCredentialRow,
  listCredentialsById,
  listInstanceDefaults,
  listServers,
  listUsableCredentials,
  touchCredential,
} from '../../store/credentials.ts';
import type { Tx } from '../../store/db.ts';
import type { Deps } from '../deps.ts';
import type { RunCredential, RunCredentials } from './credential.ts';
import { DEFAULT_POOL, toPoolKey } from './pools.ts';

type CredentialDeps = Pick<Deps, 'settings' | 'environmentCredentials'>;

/** Resolves the credentials of a run that is accepted now. */
export async function resolveCredentials(
  deps: CredentialDeps,
  tx: Tx,
  { workspace, workflowId }: { readonly workspace: string; readonly workflowId: string | null },
): Promise<RunCredentials> {
  if (!usesStoredCredentials(deps)) return deps.environmentCredentials;
  return withStored(deps, await listUsableCredentials(tx, workspace, workflowId));
}

/** Resolves the credentials of the instance, which workspaces without credentials use. */
export async function resolveInstanceCredentials(deps: CredentialDeps, tx: Tx): Promise<RunCredentials> {
  if (!usesStoredCredentials(deps)) return deps.environmentCredentials;
  return withStored(deps, await listInstanceDefaults(tx));
}

/** Lists the named servers that runs of the workspace can use, by name. */
export async function listUsableServers(
  deps: CredentialDeps,
  tx: Tx,
  workspace: string,
): Promise<readonly (RunCredential & { readonly server: string })[]> {
  const credentials = usesStoredCredentials(deps)
    ? withStored(deps, await listServers(tx, workspace))
    : deps.environmentCredentials;
  return [...credentials.values()]
    .flatMap(credential => (credential.server === null ? [] : [{ ...credential, server: credential.server }]))
    .sort((a, b) => (a.server < b.server ? -1 : 1));
}

/** Returns whether runs use stored credentials. */
export const usesStoredCredentials = ({
  settings,
}: {
  readonly settings: Pick<Settings, 'CREDENTIALS'>;
}): boolean => settings.CREDENTIALS === 'on';

function withStored(
  { environmentCredentials }: CredentialDeps,
  rows: readonly KeyedCredentialRow[],
): RunCredentials {
  if (rows.length === 0) return environmentCredentials;
  const entries = rows.map(row => {
    const key = row.key as CredentialKey;
    return [key, toRunCredential(key, row)] as const;
  });
  return new Map([...environmentCredentials, ...entries]);
}

function toRunCredential(key: CredentialKey, row: KeyedCredentialRow): RunCredential {
  const server = findServerName(key) ?? null;
  return {
    id: row.id,
    kind: row.kind as ProviderName,
    name: row.name,
    paidBy: row.workspace === null ? 'credits' : 'credential',
    dailyUsdLimit: row.daily_usd_limit,
    source: row.value_id === null ? 'removed' : 'stored',
    valueId: row.value_id,
    server,
    serves: row.serves as readonly ServerRoute[] | null,
    isFree: server !== null && row.workspace === null && row.is_private,
    pool: row.kind === 'comfyui' ? toPool(row) : null,
  };
}

/** The key of a run's record under which the pool is, beside the first server of the pool. */
const POOL_KEY = 'comfyui/pool';

const toPool = ({ id, workspace, pool, is_chosen = false }: KeyedCredentialRow): string =>
  is_chosen ? toPoolKey('server', workspace, id) : toPoolKey('pool', workspace, pool ?? DEFAULT_POOL);

/** Returns the stored credentials as the run's record: a JSON object by key, or null if there are none. */
export function toCredentialRecord(credentials: RunCredentials): string | null {
  const stored = listStored(credentials);
  if (stored.length === 0) return null;
  const pool = stored.find(([key]) => key === 'comfyui')?.[1].pool ?? null;
  return JSON.stringify({
    ...Object.fromEntries(stored.map(([key, { id }]) => [key, id])),
    ...(pool === null ? {} : { [POOL_KEY]: pool }),
  });
}

/** Returns the credentials that were resolved when the run was accepted, with their newest values. */
export async function readRunCredentials(
  deps: CredentialDeps,
  tx: Tx,
  record: string | null,
): Promise<RunCredentials> {
  if (record === null) return deps.environmentCredentials;
  const { [POOL_KEY]: pool, ...stored } = JSON.parse(record) as Record<string, string>;
  const ids = Object.entries(stored);
  const rows = new Map(
    (
      await listCredentialsById(
        tx,
        ids.map(([, id]) => id),
      )
    ).map(row => [row.id, row]),
  );
  const credentials = withStored(
    deps,
    ids.flatMap(([key, id]) => {
      const row = rows.get(id);
      return row === undefined ? [] : [{ ...row, key }];
    }),
  );
  const comfyui = credentials.get('comfyui');
  if (comfyui === undefined || pool === undefined) return credentials;
  return new Map([...credentials, ['comfyui', { ...comfyui, pool }] as const]);
}

const listStored = (credentials: RunCredentials): readonly (readonly [CredentialKey, RunCredential])[] =>
  [...credentials].filter(([, { source }]) => source !== 'environment');

export type CredentialContext = Pick<NodeContext, 'providers' | 'slotKeys' | 'openCredential'>;

/** Creates the part of a node's context that opens the run's credentials. */
export async function createCredentialContext(
  deps: Pick<Deps, 'settings' | 'credentialOpener' | 'db' | 'log'>,
  credentials: RunCredentials,
  workspace: string,
): Promise<CredentialContext> {
  const stored = listStored(credentials);
  return {
    providers: await readEndpoints(deps, stored),
    // All credentials of a workspace share one set of slots, so that more credentials do not give more slots.
    slotKeys: Object.fromEntries(
      stored.map(([key, { id, paidBy }]) => [key, paidBy === 'credential' ? workspace : id]),
    ),
    openCredential: (key, task) => openForCall(deps, credentials.get(key), key, task),
  };
}

/** Returns the endpoints of the run's calls, which are part of the cache key. */
export async function readEndpoints(
  { settings, credentialOpener }: Pick<Deps, 'settings' | 'credentialOpener'>,
  runCredentials: Iterable<readonly [CredentialKey, RunCredential]>,
): Promise<Providers> {
  const endpoints: { [key in CredentialKey]?: Endpoint | undefined } = {};
  for (const [key, { source, valueId }] of runCredentials) {
    if (source === 'environment') continue;
    endpoints[key] = valueId === null ? undefined : (await credentialOpener.open(key, valueId))?.endpoint;
  }
  return { ...readProviders(settings), ...endpoints } as Providers;
}

/** Opens the credential that a call in flight was submitted with, or the newest value for a new call. */
async function openForCall(
  { credentialOpener, db, log }: Pick<Deps, 'credentialOpener' | 'db' | 'log'>,
  runCredential: RunCredential | undefined,
  key: CredentialKey,
  task: ProviderTask | undefined,
) {
  const kind = toProviderName(key);
  if (task !== undefined && task.queued !== true && task.provider === kind) {
    const usedCredential = await credentialOpener.open(key, task.valueId ?? null);
    if (usedCredential !== undefined) return usedCredential;
  }
  if (runCredential === undefined)
    throw new ProviderError(kind, 'not_configured', { server: findServerName(key) });
  const valueId =
    runCredential.source === 'environment' ? null : (await findCredential(db, runCredential.id))?.value_id;
  const credential = valueId === undefined ? undefined : await credentialOpener.open(key, valueId);
  if (credential === undefined)
    throw new ProviderError(kind, 'auth', {
      credential: runCredential.name,
      server: findServerName(key),
      detail: 'it was deleted. Choose another one for this workflow, or add a key',
    });
  if (valueId !== null)
    touchCredential(db, runCredential.id).catch((err: unknown) =>
      log.warn({ err, credentialId: runCredential.id }, 'the use of a credential could not be recorded'),
    );
  return credential;
}
