// Making edges with the pointer: what may be joined, what happens on a drop, and the palette where it ends on nothing.
import { type Connection, type FinalConnectionState, useConnection, useReactFlow } from '@xyflow/react';
import type { MouseEvent } from 'react';
import { type PortRef, useEditor, useView } from '../board/editor-context.tsx';
import { canConnect, connect } from '../board/wiring.ts';
import { messages } from '../messages.ts';
import type { Wire } from './model.ts';

/** The open end of the edge that is being made, by pointer or keyboard. */
export function useConnectingFrom(): PortRef | undefined {
  const key = useConnection(({ fromHandle }) =>
    fromHandle ? `${fromHandle.nodeId}\n${fromHandle.id}` : undefined,
  );
  const byKeys = useView(view => view.connecting);
  if (key === undefined) return byKeys;
  const [nodeId = '', handle = ''] = key.split('\n');
  return { nodeId, handle };
}

export function useConnecting() {
  const editor = useEditor();
  const { session, view } = editor;
  const { store, catalog } = session;
  const flow = useReactFlow();
  const from = useConnectingFrom();
  const isValidConnection = (edge: Connection | Wire): boolean =>
    canConnect(store.getState().board, catalog, sourceOf(edge), targetOf(edge));
  const onConnect = (edge: Connection): void =>
    store.actions.perform(
      messages.flow.gestures.connect,
      connect(store.getState().board, catalog, sourceOf(edge), targetOf(edge)),
    );
  const onConnectEnd = (event: globalThis.MouseEvent | TouchEvent, state: FinalConnectionState): void => {
    if (state.isValid || state.fromHandle === null || state.toHandle !== null) return;
    const { clientX: x, clientY: y } =
      'changedTouches' in event
        ? (event.changedTouches[0] ?? new Touch({ identifier: 0, target: document.body }))
        : event;
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
  return { from, onDoubleClick, handlers: { isValidConnection, onConnect, onConnectEnd } };
}

const sourceOf = ({ source, sourceHandle }: Connection | Wire): PortRef => ({
  nodeId: source,
  handle: sourceHandle ?? '',
});
const targetOf = ({ target, targetHandle }: Connection | Wire): PortRef => ({
  nodeId: target,
  handle: targetHandle ?? '',
});
