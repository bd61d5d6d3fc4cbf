// Finds servers of models on this machine for an administrator, and only when one asks for it.
import { type Static, Type } from 'typebox';
import { findServers } from '../../nodes/models/local-servers.ts';
import { MAX_LISTED_MODELS } from '../../nodes/models/server-routes.ts';
import { SERVER_ROUTES } from '../../providers/names.ts';
import { listCredentials, listValues } from '../../store/credentials.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { Exact, Named } from '../schema.ts';
import { decryptValues } from './provider-credential.ts';
import { countTest } from './test-credential.ts';

const MAX_STORED = 50;

const FoundServer = Named('FoundServer', 'A server of models that answers on this machine', {
  kind: Type.Enum(['openai', 'comfyui'], { description: 'The kind of credential to store for it' }),
  baseUrl: Type.String(),
  name: Type.String({ description: 'A name for it that no other server here has, for `server`' }),
  serves: Type.Array(Type.Enum(SERVER_ROUTES), { description: 'Empty for ComfyUI' }),
  models: Type.Array(Type.String(), { maxItems: MAX_LISTED_MODELS }),
  isAdded: Type.Boolean({ description: 'Whether the instance has a credential for this address' }),
});

export const DiscoverBody = Exact({});
export const FoundServers = Type.Object({ data: Type.Array(FoundServer) });

/** Returns the servers that answer. Throws 401 without the scope `instance:admin`, 429 after ten tests in a minute. */
export async function discoverServers(deps: Deps, actor: Actor): Promise<Static<typeof FoundServers>> {
  const { userId } = requireScope(actor, 'instance:admin');
  await countTest(deps, userId);
  const [found, added] = await Promise.all([
    findServers(deps.providerFetch, deps.localPorts),
    listAddresses(deps),
  ]);
  const names = new Set(
    [...deps.environmentCredentials.values(), ...added.rows].flatMap(({ server }) => server ?? []),
  );
  return {
    data: found.map(({ name, serves, models, ...server }) => {
      const freeName = chooseFreeName(name, names);
      names.add(freeName);
      const lists = { serves: [...serves], models: [...models] };
      return { ...server, ...lists, name: freeName, isAdded: added.urls.has(server.baseUrl) };
    }),
  };
}

/** Lists the addresses of the instance's servers. */
async function listAddresses(deps: Deps) {
  const page = { workspace: null, kind: null, after: null, limit: MAX_STORED };
  const rows = await listCredentials(deps.db, page);
  const values = await listValues(
    deps.db,
    rows.flatMap(({ value_id }) => value_id ?? []),
  );
  const stored = values.flatMap(({ encrypted }) => decryptValues(deps, encrypted).baseUrl ?? []);
  const { OPENAI_SERVERS, COMFYUI_URL } = deps.settings;
  return {
    rows,
    urls: new Set([...stored, ...OPENAI_SERVERS.map(({ baseUrl }) => baseUrl), ...(COMFYUI_URL ?? [])]),
  };
}

/** Returns the name, followed by the first free number if it is taken. */
function chooseFreeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return free;
}
