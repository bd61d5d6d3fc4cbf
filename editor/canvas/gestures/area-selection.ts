// Selects nodes by box or lasso.
import type { Position } from '../../../src/graph/types.ts';
import { findNodesIn, findNodesInLasso } from '../painter/hit-test.ts';
import { type Gesture, type PointerContext, toRect } from './pointer-context.ts';

export type SelectionShape = 'box' | 'lasso';
/** Minimum distance between points of a lasso. */
const STEP_PX = 4;

/** Selects the nodes in the area, in addition to those in `baseSelection`. */
export function startAreaSelection(
  { renderState, overlay, editor }: PointerContext,
  from: Position,
  { shape, baseSelection }: { readonly shape: SelectionShape; readonly baseSelection: ReadonlySet<string> },
): Gesture {
  const { store } = editor.session;
  const previousSelection = store.getState().selection;
  const outline: Position[] = [from];
  const selectTo = (point: Position): void => {
    if (shape === 'box')
      outline.splice(1, outline.length, { x: point.x, y: from.y }, point, { x: from.x, y: point.y });
    else if (isFar(outline.at(-1) ?? from, point, STEP_PX / renderState.now.viewport.zoom))
      outline.push(point);
    const { scene } = renderState.now;
    const nodes =
      shape === 'box' ? findNodesIn(scene, toRect(from, point)) : findNodesInLasso(scene, outline);
    const nextSelection = new Set([...baseSelection, ...nodes.map(({ id }) => id)]);
    if (!isSameSet(nextSelection, store.getState().selection)) store.actions.select(nextSelection);
    overlay.area(outline);
  };
  return {
    move: selectTo,
    end: () => overlay.clear(),
    cancel: () => {
      store.actions.select(previousSelection);
      overlay.clear();
    },
  };
}

const isFar = (a: Position, b: Position, distance: number): boolean =>
  Math.hypot(a.x - b.x, a.y - b.y) >= distance;

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every(id => b.has(id));
