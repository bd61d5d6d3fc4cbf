// Lists the servers of a pool with what is needed to choose one of them.
import {
  findMissing,
  type MissingParts,
  type ServerCandidate,
  type ServerNeeds,
} from '../../graph/comfyui/choose-server.ts';
import { countCallsOfServers, listStoredServers, type PoolServer } from '../../store/comfyui-calls.ts';
import { listServers } from '../../store/comfyui-servers.ts';
import type { Tx } from '../../store/db.ts';
import { parsePoolKey } from '../credentials/pools.ts';
import { readComfyEnvironment } from '../credentials/provider-credential.ts';
import type { Deps } from '../deps.ts';
import { loadFacts } from './server-facts.ts';

export interface PoolMember extends ServerCandidate {
  readonly server: PoolServer;
}

/** Lists the servers of the pool, also those that are down or draining. */
export async function listPoolMembers(
  { settings }: Pick<Deps, 'settings'>,
  tx: Tx,
  poolKey: string,
): Promise<readonly PoolMember[]> {
  const pool = parsePoolKey(poolKey);
  const servers: readonly PoolServer[] =
    pool.kind === 'environment'
      ? readComfyEnvironment(settings).map(({ id, name }) => ({
          id,
          name,
          value_id: id,
          max_concurrent: settings.PROVIDER_CONCURRENCY.comfyui ?? 1,
          is_draining: false,
        }))
      : await listStoredServers(tx, pool);
  const ids = servers.map(({ id }) => id);
  const states = new Map((await listServers(tx, ids)).map(row => [row.id, row]));
  const counts = await countCallsOfServers(tx, ids);
  const facts = await loadFacts(
    tx,
    [...states.values()].map(({ facts_key }) => facts_key),
  );
  return servers.map(server => {
    const state = states.get(server.id);
    return {
      id: server.id,
      server,
      isUp: state?.status === 'up' && state.failing_since === null,
      isDraining: server.is_draining,
      calls: counts.get(server.id) ?? 0,
      maxConcurrent: server.max_concurrent,
      prompts: (state?.running ?? 0) + (state?.waiting ?? 0),
      lastFiles: state?.last_files ?? null,
      facts: facts.get(state?.facts_key ?? ''),
    };
  });
}

/** What a server lacks for a graph. */
export interface MissingOnServer {
  readonly credentialId: string;
  readonly server: string;
  readonly nodeTypes: readonly string[];
  readonly files: readonly string[];
}

const MAX_LISTED = 100;

/**
 * Returns what each server lacks if none can run the graph. Returns undefined if one can, or might: the types of a server
 * that has never answered are not known.
 */
export function findMissingOnAll(
  needs: ServerNeeds,
  members: readonly PoolMember[],
): readonly MissingOnServer[] | undefined {
  const missing: MissingOnServer[] = [];
  for (const { server, facts } of members) {
    const parts = facts === undefined ? undefined : findMissing(needs, facts);
    if (parts === undefined) return undefined;
    missing.push({ credentialId: server.id, server: server.name, ...limitParts(parts) });
  }
  return missing.length === 0 ? undefined : missing;
}

const limitParts = ({ nodeTypes, files }: MissingParts): MissingParts => ({
  nodeTypes: nodeTypes.slice(0, MAX_LISTED),
  files: files.slice(0, MAX_LISTED),
});

const MAX_NAMED = 5;

/** Returns a sentence that names what the servers lack. */
export function describeMissing(missing: readonly MissingOnServer[]): string {
  const parts = missing.map(({ server, nodeTypes, files }) => {
    const lists = [describeList('the node type', nodeTypes), describeList('the file', files)];
    return `${server} lacks ${lists.filter(text => text !== '').join(' and ')}`;
  });
  const rest = parts.length > MAX_NAMED ? `; ${parts.length - MAX_NAMED} more servers lack others` : '';
  return `No ComfyUI server of the pool can run the graph: ${parts.slice(0, MAX_NAMED).join('; ')}${rest}.`;
}

function describeList(noun: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, MAX_NAMED).join(', ');
  const rest = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${noun}${names.length === 1 ? '' : 's'} ${shown}${rest}`;
}
