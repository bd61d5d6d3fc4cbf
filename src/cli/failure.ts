// Defines the two ways a command fails: wrong usage (exit code 2), or failed work (exit code 1, any other error).

/** The command line, a file it names or a setting is wrong; the message says how to fix it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The work ended badly and everything was printed; only the exit code remains. */
export class WorkFailed extends Error {
  override readonly name = 'WorkFailed';
}
