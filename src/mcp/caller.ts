// Defines an authenticated request to the MCP server, and a tool call within it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunDeps } from '../runs/deps.ts';
import type { UserActor } from '../services/accounts/actor.ts';

/** Handles requests until it is closed. */
export interface McpMount {
  serve(req: IncomingMessage, res: ServerResponse, call: McpCall): Promise<void>;
  close(): Promise<void>;
}

/** An authenticated request: its caller and its parsed JSON body. */
export interface McpCall {
  readonly actor: UserActor;
  readonly body: unknown;
  /** Fires when the caller disconnects or the service stops. */
  readonly signal: AbortSignal;
  /** Counts an open stream of the caller until the returned function is called. Throws 429 `too_many_streams`. */
  readonly reserveStream: () => () => void;
}

/** A tool call in progress. */
export interface Caller {
  readonly deps: RunDeps;
  readonly actor: UserActor;
  /** Fires when the caller disconnects or the service stops: a tool then stops waiting, but never stops the run. */
  readonly signal: AbortSignal;
  /** Like `McpCall.reserveStream`. */
  readonly reserveStream: () => () => void;
  /** Reports progress if the caller requested it. */
  readonly report: (progress: Progress) => Promise<void>;
}

export interface Progress {
  /** Increases with each report. */
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}
