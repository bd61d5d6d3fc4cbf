// Defines what every command receives: parsed arguments and options, the terminal, and an abort signal.
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
