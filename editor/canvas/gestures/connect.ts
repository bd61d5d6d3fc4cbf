// Draws a connection from a port to another port, to a node with a fitting port, or to the empty board, which opens
// the palette.
import type { Position } from '../../../src/graph/types.ts';
import { canConnect, connectPorts, findRejection, isOutput, type PortRef } from '../../board/wiring.ts';
import { messages } from '../../flow-messages.ts';
import { findNodeAt, findPortAt } from '../painter/hit-test.ts';
import { createBezier, getHandleOffset, type SceneNode } from '../painter/scene.ts';
import type { Gesture, PointerContext } from './pointer-context.ts';

const PORT_SNAP_PX = 26;

interface End {
  readonly port: PortRef | undefined;
  /** The end of the line: the port, or the pointer. */
  readonly position: Position;
}

export function startConnection(context: PointerContext, from: PortRef): Gesture {
  const { editor, renderState, overlay } = context;
  const node = renderState.now.scene.byId.get(from.nodeId);
  const start = node === undefined ? undefined : getPortPosition(node, from.handle);
  let end: End | undefined;
  editor.view.setState({ connecting: from });
  const finish = (): void => {
    editor.view.setState({ connecting: undefined, rejection: undefined });
    overlay.clear();
  };
  return {
    move: point => {
      end = findEnd(context, from, point);
      showRejection(context, from, point);
      const isForward = isOutput(from);
      if (start !== undefined)
        overlay.pendingEdge(
          isForward ? createBezier(start, end.position) : createBezier(end.position, start),
        );
    },
    end: event => {
      const isRejected = editor.view.getState().rejection !== undefined;
      finish();
      if (isRejected && end?.port === undefined) return;
      if (end?.port !== undefined) performConnect(context, from, end.port);
      else if (end !== undefined && isEmptyBoard(event)) openPalette(context, from, end.position);
    },
    cancel: finish,
  };
}

function findEnd({ editor, renderState }: PointerContext, from: PortRef, point: Position): End {
  const { store, catalog } = editor.session;
  const { board } = store.getState();
  const { scene, viewport, positions } = renderState.now;
  const canEnd = (port: PortRef): boolean => canConnect(board, catalog, from, port);
  const nearest = findPortAt(scene, point, {
    maxDistance: PORT_SNAP_PX / viewport.zoom,
    positions,
    isFit: canEnd,
  });
  if (nearest !== undefined) return nearest;
  const node = findNodeAt(scene, point, positions);
  if (node === undefined || node.id === from.nodeId) return { port: undefined, position: point };
  const handle = node.card.handles?.find(({ id }) => canEnd({ nodeId: node.id, handle: id ?? '' }))?.id;
  if (handle == null) return { port: undefined, position: point };
  return { port: { nodeId: node.id, handle }, position: getPortPosition(node, handle) };
}

/** Says at the port under the pointer why the connection cannot end there. The node may have another port that fits. */
function showRejection({ editor, renderState, root }: PointerContext, from: PortRef, point: Position): void {
  const { store, catalog } = editor.session;
  const { scene, viewport, positions } = renderState.now;
  const port = findPortAt(scene, point, {
    maxDistance: PORT_SNAP_PX / viewport.zoom,
    positions,
    isFit: ({ nodeId, handle }) => nodeId !== from.nodeId || handle !== from.handle,
  })?.port;
  const shown = editor.view.getState().rejection?.port;
  if (shown?.nodeId === port?.nodeId && shown?.handle === port?.handle) return;
  const rejection = port && findRejection(store.getState().board, catalog, from, port);
  if (rejection === undefined && shown === undefined) return;
  root.style.setProperty('--rejection-scale', `${Math.max(1, 1 / viewport.zoom)}`);
  editor.view.setState({
    rejection: port && rejection && { port, text: messages.flow.rejection(rejection) },
  });
}

function performConnect({ editor }: PointerContext, from: PortRef, to: PortRef): void {
  const { store, catalog } = editor.session;
  store.actions.perform(messages.flow.edits.connect, connectPorts(store.getState().board, catalog, from, to));
}

/** Returns whether the pointer is on the empty board. */
const isEmptyBoard = ({ clientX, clientY }: PointerEvent): boolean =>
  document.elementFromPoint(clientX, clientY)?.closest('.react-flow__pane') != null;

function openPalette({ editor, renderState }: PointerContext, from: PortRef, position: Position): void {
  if (findNodeAt(renderState.now.scene, position, renderState.now.positions) !== undefined) return;
  editor.view.setState({ panel: { kind: 'add', placement: { position, from } } });
}

function getPortPosition({ x, y, card }: SceneNode, handle: string): Position {
  const offset = getHandleOffset(card, handle);
  return { x: x + offset.x, y: y + offset.y };
}
