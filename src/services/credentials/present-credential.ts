// Presents credentials without their values, and ComfyUI servers with their state.
import type { ProviderName, ServerRoute } from '../../providers/names.ts';
import { listServers, type ServerRow } from '../../store/comfyui-servers.ts';
import type { CredentialRow } from '../../store/credentials.ts';
import { toTeamId } from '../accounts/access.ts';
import { presentServer } from '../comfyui/server.schema.ts';
import type { Deps } from '../deps.ts';
import { presentColumns } from '../present-columns.ts';
import type { RunCredential } from './credential.ts';
import type { CredentialOwner } from './credential-access.ts';
import { DEFAULT_POOL } from './pools.ts';

/** The states of ComfyUI servers by the id of their credential. */
type ServerStates = ReadonlyMap<string, ServerRow>;

/** Reads the states of those credentials that are ComfyUI servers. */
export async function readServerStates(
  { db }: Pick<Deps, 'db'>,
  credentials: readonly { readonly id: string; readonly kind: string }[],
): Promise<ServerStates> {
  const ids = credentials.filter(({ kind }) => kind === 'comfyui').map(({ id }) => id);
  if (ids.length === 0) return new Map();
  return new Map((await listServers(db, ids)).map(row => [row.id, row]));
}

export async function presentStored(deps: Pick<Deps, 'db'>, row: CredentialRow, owner: CredentialOwner) {
  return presentCredential(row, owner, await readServerStates(deps, [row]));
}

export function presentCredential(row: CredentialRow, { canManage }: CredentialOwner, states: ServerStates) {
  return {
    id: row.id,
    kind: row.kind as ProviderName,
    name: row.name,
    owner: row.workspace === null ? ('instance' as const) : ('workspace' as const),
    teamId: toTeamId(row.workspace),
    ...presentColumns(row, 'is_default daily_usd_limit status error last_tested_at last_used_at'),
    hint: canManage ? row.hint : null,
    source: 'stored' as const,
    server: row.kind === 'comfyui' ? presentServer(states.get(row.id)) : row.server,
    serves: row.serves as ServerRoute[] | null,
    ...(row.pool === null
      ? {}
      : { pool: row.pool, maxConcurrent: row.max_concurrent, isDraining: row.is_draining }),
    ...presentColumns(row, 'created_at updated_at created_by'),
  };
}

/** Presents a credential of the environment, which is the default unless a stored credential of its kind is. */
export function presentEnvironment(
  { id, kind, name, server, serves }: RunCredential,
  storedDefaults: readonly Pick<CredentialRow, 'kind'>[],
  states: ServerStates,
) {
  return {
    id,
    kind,
    name,
    owner: 'instance' as const,
    teamId: null,
    isDefault: server === null && !storedDefaults.some(stored => stored.kind === kind),
    dailyUsdLimit: null,
    status: 'untested' as const,
    error: null,
    lastTestedAt: null,
    lastUsedAt: null,
    hint: null,
    source: 'environment' as const,
    server: kind === 'comfyui' ? presentServer(states.get(id)) : server,
    serves: serves === null ? null : [...serves],
    ...(kind === 'comfyui' ? { pool: DEFAULT_POOL, maxConcurrent: 1, isDraining: false } : {}),
    createdAt: null,
    updatedAt: null,
    createdBy: null,
  };
}
