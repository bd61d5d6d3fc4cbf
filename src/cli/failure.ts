// The two ways a command refuses: used wrongly (exit code 2), or its work failed (exit code 1, any other error).

/** The command line, a file it names or a setting is wrong; the message is one sentence that says how to put it right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The work was done and came out badly; what there is to say has been printed, and only the exit code is left. */
export class WorkFailed extends Error {
  override readonly name = 'WorkFailed';
}
