// Finds the result of a link to the board, and does with it what the link says.
import type { Execution } from '../../../sdk/src/types.ts';
import { api } from '../../lib/api.ts';
import { showToast } from '../../lib/toasts.ts';
import type { EditorContextValue } from '../editor-context.tsx';
import { getResults } from '../runs/results.ts';
import { type BoardResult, findBoardActions } from './board-actions.ts';
import { type BoardAction, type BoardLink, parseBoardLink } from './board-link.ts';
import { messages } from './messages.ts';

const MISSING: Readonly<Record<BoardAction, string>> = {
  use: messages.gone,
  compare: messages.gone,
  vary: messages.noSeed,
  keepSeed: messages.noSeed,
  upscale: messages.noUpscaler,
};

/** Follows the link in the address of the page, if there is one. */
export async function followBoardLink(editor: EditorContextValue): Promise<void> {
  const parsed = parseBoardLink(location.search);
  if (parsed === undefined) return;
  // Otherwise a reload would do it again.
  history.replaceState(history.state, '', location.pathname + parsed.search);
  const { action, result: link } = parsed.link;
  const run = await api.get<Execution>(`/executions/${link.executionId}`);
  const found = findResult(run, link);
  if (found === undefined) {
    showToast(messages.gone, { tone: 'failed' });
    return;
  }
  if (action === 'compare') {
    // Ends when the run has ended, and the dialog shows what there is.
    void editor.runs.show(link.executionId);
    editor.view.setState({ panel: { kind: 'result', nodeId: found.nodeId, index: found.index } });
    return;
  }
  const perform = findBoardActions(editor, found)[action];
  if (perform === undefined) showToast(MISSING[action], { tone: 'failed' });
  else perform();
}

/** Finds the result of the run: that with the file, or else the first one of the node. */
function findResult(
  { nodeStates }: Execution,
  { nodeId, url }: BoardLink['result'],
): (BoardResult & { readonly index: number }) | undefined {
  for (const state of nodeStates) {
    const results = getResults(state);
    const index = results.findIndex(
      result => url === undefined || (result.kind === 'media' && result.url === url),
    );
    const result = results[index];
    if (result !== undefined && (nodeId === undefined || nodeId === state.nodeId))
      return { nodeId: state.nodeId, label: state.label, result, index };
  }
  return undefined;
}
