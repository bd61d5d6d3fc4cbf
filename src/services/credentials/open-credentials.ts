// Opens the credentials of the environment and stored credentials for calls. Caches stored values, which never change.
import type { Logger } from '../../lib/log.ts';
import { createLru } from '../../lib/lru.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import type { ProviderName } from '../../providers/names.ts';
import { listValues, recordStatus, type StoredValue } from '../../store/credentials.ts';
import type { Db } from '../../store/db.ts';
import { insertNotice } from '../../store/notices.ts';
import type { Deps } from '../deps.ts';
import type { CredentialOpener } from './credential.ts';
import {
  decryptValues,
  openComfyEnvironment,
  openEnvironment,
  toProviderCredential,
} from './provider-credential.ts';

type OpenerDeps = Pick<Deps, 'settings' | 'fetch' | 'providerFetch' | 'secretsKey'> & {
  readonly db: Db;
  readonly log: Logger;
};

const MAX_CACHED = 10_000;

export function createCredentialOpener(deps: OpenerDeps): CredentialOpener {
  const environment = openEnvironment(deps);
  const comfyServers = openComfyEnvironment(deps);
  const cache = createLru<ProviderCredential>(MAX_CACHED);
  const openMany: CredentialOpener['openMany'] = async (key, valueIds) => {
    const credentials = new Map<string, ProviderCredential>();
    const uncachedIds = new Set<string>();
    for (const id of valueIds) {
      if (id === null) continue;
      const cached = comfyServers.get(id) ?? cache.get(id);
      if (cached === undefined) uncachedIds.add(id);
      else credentials.set(id, cached);
    }
    if (uncachedIds.size > 0) {
      for (const value of await listValues(deps.db, [...uncachedIds])) {
        const credential = toStoredCredential(deps, value);
        cache.set(value.id, credential, 1);
        credentials.set(value.id, credential);
      }
    }
    return valueIds.map(id => (id === null ? environment.get(key) : credentials.get(id)));
  };
  return { openMany, open: async (key, valueId) => (await openMany(key, [valueId]))[0] };
}

function toStoredCredential(deps: OpenerDeps, value: StoredValue): ProviderCredential {
  const { id: valueId, credential_id: id, kind, name, workspace, encrypted } = value;
  const info = { id, kind: kind as ProviderName, name, workspace, valueId };
  return {
    ...toProviderCredential(deps, info, decryptValues(deps, encrypted)),
    onRejected: error =>
      void recordRejection(deps.db, { id, valueId }, error).catch((err: unknown) =>
        deps.log.warn({ err, credentialId: id }, 'the status of a credential could not be stored'),
      ),
  };
}

/** Records that a provider rejected the credential of a call. The first time, notifies the owners of the credential. */
function recordRejection(
  db: Db,
  value: { readonly id: string; readonly valueId: string },
  error: string,
): Promise<void> {
  return db.transaction(async tx => {
    const previous = await recordStatus(tx, value, { error, isTest: false });
    if (previous === undefined || previous.status === 'failed') return;
    await insertNotice(tx, {
      kind: 'credential_failed',
      cause: previous.id,
      workspace: previous.workspace,
      userId: previous.created_by,
      title: `Credential “${previous.name}” was rejected`,
      text: `${error} Runs that use the credential fail until you replace its value.`,
      link: previous.workspace === null ? '/settings/providers' : '/settings/provider-keys',
    });
  });
}
