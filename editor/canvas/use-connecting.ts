// Making edges with the pointer: what may be joined, what happens on a drop, and the palette where it ends on nothing.
import {
  type Connection,
  type Edge,
  type FinalConnectionState,
  type OnConnectStartParams,
  useReactFlow,
} from '@xyflow/react';
import type { MouseEvent } from 'react';
import { type PortRef, useEditor } from '../board/editor-context.tsx';
import { canConnect, connect } from '../board/wiring.ts';
import { messages } from '../messages.ts';

export function useConnecting() {
  const editor = useEditor();
  const { session, view } = editor;
  const { store, catalog } = session;
  const flow = useReactFlow();
  const isValidConnection = (edge: Connection | Edge): boolean =>
    canConnect(store.getState().board, catalog, sourceOf(edge), targetOf(edge));
  const onConnect = (edge: Connection): void =>
    store.actions.perform(
      messages.flow.gestures.connect,
      connect(store.getState().board, catalog, sourceOf(edge), targetOf(edge)),
    );
  const onConnectStart = (_: unknown, { nodeId, handleId }: OnConnectStartParams): void => {
    if (nodeId !== null && handleId !== null) view.setState({ connecting: { nodeId, handle: handleId } });
  };
  const onConnectEnd = (event: globalThis.MouseEvent | TouchEvent, state: FinalConnectionState): void => {
    view.setState({ connecting: undefined });
    if (state.isValid || state.fromHandle === null || state.toHandle !== null) return;
    const { clientX: x, clientY: y } =
      'changedTouches' in event ? (event.changedTouches[0] ?? NOWHERE) : event;
    const over = document.elementFromPoint(x, y);
    if (over?.closest('.react-flow__pane, .react-flow__node-group') == null) return;
    view.setState({
      panel: {
        kind: 'add',
        placing: {
          at: flow.screenToFlowPosition({ x, y }),
          from: { nodeId: state.fromHandle.nodeId, handle: state.fromHandle.id ?? '' },
        },
      },
    });
  };
  const onDoubleClick = (event: MouseEvent): void => {
    if (!(event.target instanceof Element) || event.target.closest('.react-flow__pane') === null) return;
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    view.setState({ panel: { kind: 'add', placing: { at } } });
  };
  return { onDoubleClick, handlers: { isValidConnection, onConnect, onConnectStart, onConnectEnd } };
}

const NOWHERE = { clientX: -1, clientY: -1 };

const sourceOf = ({ source, sourceHandle }: Connection | Edge): PortRef => ({
  nodeId: source,
  handle: sourceHandle ?? '',
});
const targetOf = ({ target, targetHandle }: Connection | Edge): PortRef => ({
  nodeId: target,
  handle: targetHandle ?? '',
});
