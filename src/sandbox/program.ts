// Defines the messages between the service and the processes that run programs.

export interface Program {
  /** An ES module in TypeScript or JavaScript. Its default export receives the input. */
  readonly code: string;
  /** JSON text. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

export type ProgramErrorCode =
  | 'invalid_program'
  | 'program_failed'
  | 'program_timeout'
  | 'program_out_of_memory'
  | 'program_output_too_large';

export interface ProgramError {
  readonly code: ProgramErrorCode;
  readonly message: string;
  /** The position in the author's code, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The log of a program, and its output as JSON text or the error with which it failed. */
export type ProgramResult = { readonly log: string } & (
  | { readonly output: string }
  | { readonly error: ProgramError }
);

/** The maximum size of the input and of the output, as UTF-8 JSON text. */
export const MAX_PROGRAM_BYTES = 5_242_880;
/** The maximum length of the log. A longer log is truncated. */
export const MAX_LOG_LENGTH = 65_536;
/** The maximum length of an error's message. A longer message is truncated. */
export const MAX_MESSAGE_LENGTH = 2000;
