// Renders the button that opens the result of the run on the board.
import Eye from 'icon:eye';
import { isInputNode } from '../../../../src/graph/input-nodes.ts';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { PHONE } from '../../../lib/use-visibility.ts';
import { useBoard, useEditor, useRun } from '../../../session/editor-context.tsx';
import { getResults } from '../../../session/runs/results.ts';

/** Opens the result of the run: that of an output node, or else of the last node that has one. */
export function ViewResultButton() {
  const { view, session } = useEditor();
  const nodes = useRun(state => state.nodes);
  const board = useBoard(state => state.board);
  const withResult = board.nodes.filter(({ id }) => {
    const state = nodes.get(id);
    return state !== undefined && getResults(state).length > 0;
  });
  const target =
    withResult.findLast(({ data }) => data.nodeType.startsWith('output:')) ??
    withResult.findLast(node => !isInputNode(node));
  if (target === undefined) return null;
  const open = (): void => {
    // On a phone, the inspector of the selected node would cover the results.
    if (!matchMedia(PHONE).matches) session.store.actions.select([target.id]);
    view.setState({ panel: { kind: 'result', nodeId: target.id } });
  };
  return (
    <Button size="s" icon={Eye} onClick={open}>
      {messages.flow.viewResult}
    </Button>
  );
}
