// Continues with a result when the user comes from another page, such as that of a run, by one of the result's actions.
import { useEffect } from 'react';
import type { Execution } from '../../../sdk/src/types.ts';
import { showError } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { showToast } from '../../lib/toasts.ts';
import { type EditorContextValue, useEditor } from '../../session/editor-context.tsx';
import { type BoardResult, findBoardActions } from '../../session/results/board-actions.ts';
import { type BoardAction, type BoardLink, parseBoardLink } from '../../session/results/board-link.ts';
import { messages } from '../../session/results/messages.ts';
import { getResults } from '../../session/runs/results.ts';

export function useBoardLink(): void {
  const editor = useEditor();
  useEffect(() => {
    const parsed = parseBoardLink(location.search);
    if (parsed === undefined) return;
    // Otherwise a reload would do it again.
    history.replaceState(history.state, '', location.pathname + parsed.search);
    follow(editor, parsed.link).catch(showError);
  }, [editor]);
}

const MISSING: Readonly<Record<BoardAction, string>> = {
  use: messages.gone,
  compare: messages.gone,
  vary: messages.noSeed,
  keepSeed: messages.noSeed,
  upscale: messages.noUpscaler,
};

async function follow(editor: EditorContextValue, { action, result: link }: BoardLink): Promise<void> {
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
