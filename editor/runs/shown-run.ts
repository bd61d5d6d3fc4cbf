// Which run a tab shows on a board, so that its results are there again after a reload or a look at another page.
const KEY = 'graphwright-run:';

export function findShownRun(workflowId: string): string | undefined {
  try {
    return sessionStorage.getItem(KEY + workflowId) ?? undefined;
  } catch {
    return undefined;
  }
}

/** undefined: none. */
export function keepShownRun(workflowId: string, executionId: string | undefined): void {
  try {
    if (executionId === undefined) sessionStorage.removeItem(KEY + workflowId);
    else sessionStorage.setItem(KEY + workflowId, executionId);
  } catch {
    // A browser without storage shows it until it leaves the board.
  }
}
