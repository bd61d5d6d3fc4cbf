// Defines the credentials of a run, and the interface by which its calls open them.
import type { PaidBy, ProviderCredential } from '../../providers/credential.ts';
import type { CredentialKey, ProviderName, ServerRoute } from '../../providers/names.ts';

/** A credential that a run uses. */
export interface RunCredential {
  readonly id: string;
  readonly kind: ProviderName;
  readonly name: string;
  readonly paidBy: PaidBy;
  readonly dailyUsdLimit: number | null;
  /** Credentials of the environment are not stored. Calls that would use a removed credential fail. */
  readonly source: 'stored' | 'environment' | 'removed';
  readonly valueId: string | null;
  /** The name of the server by which nodes choose the credential; null for a default. */
  readonly server: string | null;
  /** What the server serves; null if that is not known. */
  readonly serves: readonly ServerRoute[] | null;
  /** Whether calls cost nothing unless the operator set a price: a named server of the instance at a private address. */
  readonly isFree: boolean;
  /** The key of the pool of ComfyUI servers whose first server this is; null for other providers. */
  readonly pool: string | null;
}

/** The credentials of a run by provider, and by the names of servers. Providers without a credential are absent. */
export type RunCredentials = ReadonlyMap<CredentialKey, RunCredential>;

export interface CredentialOpener {
  /** Opens the credential with this stored value, or the environment's for null. Returns undefined if it is missing. */
  open(key: CredentialKey, valueId: string | null): Promise<ProviderCredential | undefined>;
  /** Opens several credentials of a provider like `open`, in order. Reads values that are not cached with one query. */
  openMany(
    key: CredentialKey,
    valueIds: readonly (string | null)[],
  ): Promise<readonly (ProviderCredential | undefined)[]>;
}
