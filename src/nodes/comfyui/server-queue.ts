// Defines the queue in which a call to ComfyUI waits for a server of its pool.
import type { ServerNeeds } from '../../graph/comfyui/choose-server.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import type { ProviderTask } from '../../providers/provider.ts';

/** A server that ran the call. `error`: why the call moved away; null for the last one. */
export interface ServerAttempt {
  readonly credentialId: string;
  readonly server: string;
  readonly startedAt: string;
  readonly error: string | null;
}

/** Where the call is. `waiting`: in the queue. `failed`: it cannot continue. */
export type CallPlace =
  | { readonly kind: 'waiting'; readonly attempts: readonly ServerAttempt[] }
  | {
      readonly kind: 'placed';
      readonly credentialId: string;
      readonly valueId: string;
      readonly server: string;
      /** The prompt that was submitted there; null before the submission. */
      readonly jobId: string | null;
      readonly moves: number;
      readonly attempts: readonly ServerAttempt[];
    }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly attempts: readonly ServerAttempt[];
    };

export interface CallMove {
  readonly moves: number;
  readonly error: string;
  /**
   * `unreachable`: the call was not submitted. `lost`: the server has forgotten the call. `refused`: the server lacks
   * something, so the call moves only if another server may have it.
   */
  readonly reason: 'unreachable' | 'lost' | 'refused';
}

/** The queue of a pool, for one call. */
export interface ServerQueue {
  /** The pool, as it is stored with calls. */
  readonly pool: string;
  /** Queues the call, or returns where it is. `waiting` is the record of the call while it waits. */
  place(needs: ServerNeeds, waiting: ProviderTask): Promise<CallPlace>;
  /** Gives the call back to the queue. Returns false if it must fail instead. */
  move(move: CallMove, waiting: ProviderTask): Promise<boolean>;
  /** Opens the credential with this value; undefined if it was deleted. */
  open(valueId: string): Promise<ProviderCredential | undefined>;
}
