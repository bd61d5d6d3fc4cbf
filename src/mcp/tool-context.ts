// Defines the mount of the MCP server, and what a tool receives with each call.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunDeps } from '../runs/deps.ts';
import type { McpCall } from '../services/accounts/agent-caller.ts';

/** Handles requests until it is closed. */
export interface McpMount {
  serve(req: IncomingMessage, res: ServerResponse, call: McpCall): Promise<void>;
  close(): Promise<void>;
}

/** The call of a tool. When its signal fires, the tool stops waiting, but never stops the run. */
export interface ToolContext extends Omit<McpCall, 'body'> {
  readonly deps: RunDeps;
  /** Reports progress if the caller requested it. */
  readonly report: (progress: Progress) => Promise<void>;
}

export interface Progress {
  /** Increases with each report. */
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}
