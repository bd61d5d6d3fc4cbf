// Remembers which run a tab shows on a board, for reloads and navigation.
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
    // Without storage, the run is shown until the user leaves the board.
  }
}
