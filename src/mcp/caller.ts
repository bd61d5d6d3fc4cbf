// Who calls, a request and then a tool: what each layer hands to the next.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunDeps } from '../runs/deps.ts';
import type { UserActor } from '../services/accounts/actor.ts';

/** Answers requests on their responses, until it is closed. */
export interface McpMount {
  serve(req: IncomingMessage, res: ServerResponse, call: McpCall): Promise<void>;
  close(): Promise<void>;
}

/** A request that was admitted: who calls, and the JSON that was sent. */
export interface McpCall {
  readonly actor: UserActor;
  readonly body: unknown;
  /** Fires when the caller has gone or the service stops. */
  readonly signal: AbortSignal;
}

/** One call of a tool under way. */
export interface Caller {
  readonly deps: RunDeps;
  readonly actor: UserActor;
  /** Fires when the caller has gone or the service stops: a tool then ends its waiting, never the run. */
  readonly signal: AbortSignal;
  /** Reports to the caller that it goes on; nothing where the caller did not ask for it. */
  readonly report: (progress: Progress) => Promise<void>;
}

export interface Progress {
  /** Rises with each report. */
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}
