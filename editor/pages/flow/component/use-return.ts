// Shows the call from which the user comes back, and moves it to the current version if the user asked for that.
import { useEffect } from 'react';
import { findNode } from '../../../board/board.ts';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { showToast } from '../../../lib/toasts.ts';
import {
  getCalledComponent,
  planUpdate,
  readInterface,
  takeReturn,
  takeVersion,
} from '../../../runs/component-versions.ts';
import { useEditor } from '../../../runs/editor-context.tsx';

export function useReturn(): void {
  const editor = useEditor();
  const { session, view, canvas } = editor;
  useEffect(() => {
    const back = takeReturn(session.id);
    if (back === undefined) return;
    const { nodeId, takesUpdate } = back;
    const node = findNode(session.store.getState().board, nodeId);
    if (node === undefined) return;
    session.store.actions.select([nodeId]);
    // The canvas mounts after this.
    requestAnimationFrame(() => canvas.current?.focusNode(nodeId));
    const called = getCalledComponent(node);
    if (!takesUpdate || called === undefined) return;
    readInterface(called.workflowId).then(
      current => {
        // Removed connections are confirmed.
        if (planUpdate(editor, nodeId, current).lostEdges === 0) takeVersion(editor, nodeId, current);
        else view.setState({ panel: { kind: 'component', nodeId } });
      },
      (error: unknown) => showToast(toErrorMessage(error), { tone: 'failed' }),
    );
  }, [editor, session, view, canvas]);
}
