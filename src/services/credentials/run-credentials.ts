// Resolves which credentials a run uses: the workflow's choice, else the workspace's default, else the instance's.
import type { Settings } from '../../lib/settings.ts';
import type { NodeContext } from '../../nodes/define.ts';
import { type Providers, readProviders } from '../../nodes/models/providers.ts';
import type { ProviderName } from '../../providers/names.ts';
import type { Endpoint, ProviderTask } from '../../providers/provider.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import {
  type CredentialRow,
  findCredential,
  listCredentialsById,
  listInstanceDefaults,
  listUsableCredentials,
  touchCredential,
} from '../../store/credentials.ts';
import type { Tx } from '../../store/db.ts';
import type { Deps } from '../deps.ts';
import type { RunCredential, RunCredentials } from './credential.ts';

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

/** Returns whether runs use stored credentials. */
export const usesStoredCredentials = ({
  settings,
}: {
  readonly settings: Pick<Settings, 'CREDENTIALS'>;
}): boolean => settings.CREDENTIALS === 'on';

function withStored(
  { environmentCredentials }: CredentialDeps,
  rows: readonly CredentialRow[],
): RunCredentials {
  if (rows.length === 0) return environmentCredentials;
  const entries = rows.map(row => [row.kind as ProviderName, toRunCredential(row)] as const);
  return new Map([...environmentCredentials, ...entries]);
}

function toRunCredential(row: CredentialRow): RunCredential {
  return {
    id: row.id,
    kind: row.kind as ProviderName,
    name: row.name,
    paidBy: row.workspace === null ? 'credits' : 'credential',
    dailyUsdLimit: row.daily_usd_limit,
    source: row.value_id === null ? 'removed' : 'stored',
    valueId: row.value_id,
  };
}

/** Returns the stored credentials as the run's record: a JSON object by kind, or null if there are none. */
export function toCredentialRecord(credentials: RunCredentials): string | null {
  const stored = [...credentials.values()].filter(({ source }) => source !== 'environment');
  return stored.length === 0
    ? null
    : JSON.stringify(Object.fromEntries(stored.map(({ kind, id }) => [kind, id])));
}

/** Returns the credentials that were resolved when the run was accepted, with their newest values. */
export async function readRunCredentials(
  deps: CredentialDeps,
  tx: Tx,
  record: string | null,
): Promise<RunCredentials> {
  if (record === null) return deps.environmentCredentials;
  const ids = Object.values(JSON.parse(record) as Record<string, string>);
  return withStored(deps, await listCredentialsById(tx, ids));
}

export type CredentialContext = Pick<NodeContext, 'providers' | 'slotKeys' | 'openCredential'>;

/** Creates the part of a node's context that opens the run's credentials. */
export async function createCredentialContext(
  deps: Pick<Deps, 'settings' | 'credentialOpener' | 'db' | 'log'>,
  credentials: RunCredentials,
  workspace: string,
): Promise<CredentialContext> {
  const stored = [...credentials.values()].filter(({ source }) => source !== 'environment');
  return {
    providers: await readEndpoints(deps, stored),
    // All credentials of a workspace share one set of slots, so that more credentials do not give more slots.
    slotKeys: Object.fromEntries(
      stored.map(({ kind, id, paidBy }) => [kind, paidBy === 'credential' ? workspace : id]),
    ),
    openCredential: (kind, task) => openForCall(deps, credentials.get(kind), kind, task),
  };
}

/** Returns the endpoints of the run's calls, which are part of the cache key. */
export async function readEndpoints(
  { settings, credentialOpener }: Pick<Deps, 'settings' | 'credentialOpener'>,
  runCredentials: Iterable<RunCredential>,
): Promise<Providers> {
  const endpoints: { [kind in ProviderName]?: Endpoint | undefined } = {};
  for (const { kind, source, valueId } of runCredentials) {
    if (source === 'environment') continue;
    endpoints[kind] = valueId === null ? undefined : (await credentialOpener.open(kind, valueId))?.endpoint;
  }
  return { ...readProviders(settings), ...endpoints } as Providers;
}

/** Opens the credential that a call in flight was submitted with, or the newest value for a new call. */
async function openForCall(
  { credentialOpener, db, log }: Pick<Deps, 'credentialOpener' | 'db' | 'log'>,
  runCredential: RunCredential | undefined,
  kind: ProviderName,
  task: ProviderTask | undefined,
) {
  if (task !== undefined && task.queued !== true && task.provider === kind) {
    const usedCredential = await credentialOpener.open(kind, task.valueId ?? null);
    if (usedCredential !== undefined) return usedCredential;
  }
  if (runCredential === undefined) throw new ProviderError(kind, 'not_configured');
  const valueId =
    runCredential.source === 'environment' ? null : (await findCredential(db, runCredential.id))?.value_id;
  const credential = valueId === undefined ? undefined : await credentialOpener.open(kind, valueId);
  if (credential === undefined)
    throw new ProviderError(kind, 'auth', {
      credential: runCredential.name,
      detail: 'it was deleted. Choose another one for this workflow, or add a key',
    });
  if (valueId !== null)
    touchCredential(db, runCredential.id).catch((err: unknown) =>
      log.warn({ err, credentialId: runCredential.id }, 'the use of a credential could not be recorded'),
    );
  return credential;
}
