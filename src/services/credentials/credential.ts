// Defines the credentials of runs, and how calls open them.
import type { PaidBy, ProviderCredential } from '../../providers/credential.ts';
import type { ProviderName } from '../../providers/names.ts';

/** A credential that a run uses. */
export interface RunCredential {
  readonly id: string;
  readonly kind: ProviderName;
  readonly name: string;
  readonly paidBy: PaidBy;
  readonly dailyUsdLimit: number | null;
  /** `environment`: not stored. `removed`: the calls that would use it fail. */
  readonly source: 'stored' | 'environment' | 'removed';
  readonly valueId: string | null;
}

/** The credentials of a run, by provider. Providers without one are absent. */
export type RunCredentials = ReadonlyMap<ProviderName, RunCredential>;

export interface CredentialOpener {
  /** Returns the credential with this stored value, or the environment's for null; undefined if there is none. */
  open(kind: ProviderName, valueId: string | null): Promise<ProviderCredential | undefined>;
  /** Opens several credentials of a provider, in order, like `open`. Reads unknown values with one query. */
  openMany(
    kind: ProviderName,
    valueIds: readonly (string | null)[],
  ): Promise<readonly (ProviderCredential | undefined)[]>;
}
