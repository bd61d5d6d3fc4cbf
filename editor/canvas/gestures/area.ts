// Selects nodes by box or lasso.
import type { Position } from '../../../src/graph/types.ts';
import { boxesIn, boxesWithin } from '../scene/hits.ts';
import { type Gesture, type Hand, rectOf } from './hand.ts';

export type Shape = 'box' | 'lasso';
/** Minimum distance between points of a lasso. */
const STEP_PX = 4;

/** `kept` stays selected in addition to the nodes in the area. */
export function beginArea(
  { stage, sketch, editor }: Hand,
  from: Position,
  { shape, kept }: { readonly shape: Shape; readonly kept: ReadonlySet<string> },
): Gesture {
  const { store } = editor.session;
  const before = store.getState().selection;
  const line: Position[] = [from];
  const take = (place: Position): void => {
    if (shape === 'box')
      line.splice(1, line.length, { x: place.x, y: from.y }, place, { x: from.x, y: place.y });
    else if (isFar(line.at(-1) ?? from, place, STEP_PX / stage.now.viewport.zoom)) line.push(place);
    const { scene } = stage.now;
    const found = shape === 'box' ? boxesIn(scene, rectOf(from, place)) : boxesWithin(scene, line);
    const next = new Set([...kept, ...found.map(({ id }) => id)]);
    if (!isSame(next, store.getState().selection)) store.actions.select(next);
    sketch.area(line);
  };
  return {
    move: take,
    end: () => sketch.clear(),
    cancel: () => {
      store.actions.select(before);
      sketch.clear();
    },
  };
}

const isFar = (one: Position, other: Position, by: number): boolean =>
  Math.hypot(one.x - other.x, one.y - other.y) >= by;

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every(id => other.has(id));
