// Defines the input of commands (parsed arguments and options, the terminal, an abort signal) and how commands fail.
import type { Terminal } from './terminal/terminal.ts';

export type OptionValue = string | boolean | readonly string[] | undefined;

export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly terminal: Terminal;
  /** Aborted by the first SIGINT or SIGTERM; a second one ends the process. */
  readonly signal: AbortSignal;
}

/** Resolves when the work is done. Throws UsageError for exit code 2, anything else for 1. */
export type Command = (input: CommandInput) => Promise<void>;

/** Thrown if the command line, one of its files or a setting is invalid. The message says how to fix it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown if the work failed and the command has printed the reason. The message of this error is not printed. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
}
