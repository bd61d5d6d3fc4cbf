// Defines the credentials of a run, and the interface by which its calls open them.
import type { PaidBy, ProviderCredential } from '../../providers/credential.ts';
import type { ProviderName } from '../../providers/names.ts';

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
}

/** The credentials of a run by provider. Providers without a credential are absent. */
export type RunCredentials = ReadonlyMap<ProviderName, RunCredential>;

export interface CredentialOpener {
  /** Opens the credential with this stored value, or the environment's for null. Returns undefined if it is missing. */
  open(kind: ProviderName, valueId: string | null): Promise<ProviderCredential | undefined>;
  /** Opens several credentials of a provider like `open`, in order. Reads values that are not cached with one query. */
  openMany(
    kind: ProviderName,
    valueIds: readonly (string | null)[],
  ): Promise<readonly (ProviderCredential | undefined)[]>;
}
