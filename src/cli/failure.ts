// Defines the two ways a command fails: wrong usage (exit code 2), or failed work (exit code 1, any other error).

/** Thrown if the command line, one of its files or a setting is invalid. The message says how to fix it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown if the work failed and everything was printed, so that only the exit code is left to set. */
export class WorkFailed extends Error {
  override readonly name = 'WorkFailed';
}
