// Shows the call when the user comes back from its component, and updates the call if the user requested the update.
import { useEffect } from 'react';
import { findNode } from '../../../board/board.ts';
import { showError } from '../../../kit/failure.tsx';
import {
  applyVersion,
  getCalledComponent,
  planUpdate,
  readInterface,
  takePendingReturn,
} from '../../../session/component-versions.ts';
import { useEditor } from '../../../session/editor-context.tsx';

export function useReturn(): void {
  const editor = useEditor();
  const { session, view, canvas } = editor;
  useEffect(() => {
    const pendingReturn = takePendingReturn(session.id);
    if (pendingReturn === undefined) return;
    const { nodeId, updatesCall } = pendingReturn;
    const node = findNode(session.store.getState().board, nodeId);
    if (node === undefined) return;
    session.store.actions.select([nodeId]);
    // The canvas mounts after this effect.
    requestAnimationFrame(() => canvas.current?.focusNode(nodeId));
    const component = getCalledComponent(node);
    if (!updatesCall || component === undefined) return;
    readInterface(component.workflowId).then(current => {
      // If connections would be removed, the user confirms the update first.
      if (planUpdate(editor, nodeId, current).lostEdges === 0) applyVersion(editor, nodeId, current);
      else view.setState({ panel: { kind: 'component', nodeId } });
    }, showError);
  }, [editor, session, view, canvas]);
}
