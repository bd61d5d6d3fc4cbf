// Defines the credential of a call: the provider's address, the key, and the client that may reach it.

import type { OpenedSocket, SocketRequest } from '../lib/fetch/socket.ts';
import type { ProviderName } from './names.ts';
import type { Endpoint } from './provider.ts';
import type { Send } from './send.ts';

type Connect = (path: string, request: SocketRequest) => Promise<OpenedSocket>;

/** A credential with the value that a call uses now. */
export interface ProviderCredential {
  readonly id: string;
  readonly kind: ProviderName;
  readonly name: string;
  /** The stored value; null for a credential of the environment. */
  readonly valueId: string | null;
  /** Whether calls cost credits, or are billed to the owner of this credential. */
  readonly paidBy: PaidBy;
  readonly endpoint: Endpoint;
  /** Sends requests only to addresses that the owner of the credential may use. Removes the key from responses. */
  readonly fetch: Send;
  /** Opens a WebSocket at a path of the endpoint, under the same limits. */
  readonly connect?: Connect;
  /** False if the address is not the provider's own. The durations of calls to such a server do not apply to others. */
  readonly sharesDurations?: boolean;
  /** Called with a sentence when the provider rejected the credential. */
  readonly onRejected?: (reason: string) => void;
}

export const PAID_BY = ['credits', 'credential'] as const;
export type PaidBy = (typeof PAID_BY)[number];
