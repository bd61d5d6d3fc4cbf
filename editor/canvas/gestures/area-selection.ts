// Selects nodes by box or lasso.
import type { Position } from '../../../src/graph/types.ts';
import { boxesIn, boxesWithin } from '../painter/hit-test.ts';
import { type Gesture, type PointerContext, rectOf } from './pointer-context.ts';

export type Shape = 'box' | 'lasso';
/** Minimum distance between points of a lasso. */
const STEP_PX = 4;

/** `kept` stays selected in addition to the nodes in the area. */
export function startAreaSelection(
  { renderState, overlay, editor }: PointerContext,
  from: Position,
  { shape, kept }: { readonly shape: Shape; readonly kept: ReadonlySet<string> },
): Gesture {
  const { store } = editor.session;
  const before = store.getState().selection;
  const line: Position[] = [from];
  const take = (point: Position): void => {
    if (shape === 'box')
      line.splice(1, line.length, { x: point.x, y: from.y }, point, { x: from.x, y: point.y });
    else if (isFar(line.at(-1) ?? from, point, STEP_PX / renderState.now.viewport.zoom)) line.push(point);
    const { scene } = renderState.now;
    const found = shape === 'box' ? boxesIn(scene, rectOf(from, point)) : boxesWithin(scene, line);
    const next = new Set([...kept, ...found.map(({ id }) => id)]);
    if (!isSame(next, store.getState().selection)) store.actions.select(next);
    overlay.area(line);
  };
  return {
    move: take,
    end: () => overlay.clear(),
    cancel: () => {
      store.actions.select(before);
      overlay.clear();
    },
  };
}

const isFar = (one: Position, other: Position, by: number): boolean =>
  Math.hypot(one.x - other.x, one.y - other.y) >= by;

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every(id => other.has(id));
