// Decides which nodes are in the DOM. Mounting is expensive, so no node is mounted or unmounted while the view moves,
// and only a few per frame once it rests. The painter draws the others meanwhile.
import { FAR_ZOOM, viewOf } from './painting.ts';
import type { RenderState } from './render-state.ts';
import { grow, intersects } from './scene.ts';

/** Slightly above the far zoom, so that nodes do not flicker between states. */
const NEAR_ZOOM = 0.34;
/** Smaller boards have all nodes mounted, so that assistive software finds them. */
export const SMALL_BOARD_NODES = 60;
/** Nodes mounted and unmounted per frame while the view rests. */
const A_FRAME = 2;
/** Margin around the view in which nodes are mounted, as a fraction of its size. */
const MARGIN = 0.15;
/** Nodes are unmounted beyond this margin. */
const KEPT_MARGIN = 0.5;

/**
 * Returns the next set of mounted nodes, a few steps closer to the target, or the same set if nothing is left to do.
 * Nodes in `pinned` must be mounted: they have or will get the focus, or a connection starts there.
 */
export function nextMounted(now: RenderState['now'], pinned: ReadonlySet<string>): ReadonlySet<string> {
  const { scene, mounted, isMoving } = now;
  if (scene.boxes.length <= SMALL_BOARD_NODES) {
    const isAll = mounted.size === scene.boxes.length && scene.boxes.every(({ id }) => mounted.has(id));
    return isAll ? mounted : new Set(scene.boxes.map(({ id }) => id));
  }
  const called = [...pinned].filter(id => !mounted.has(id) && scene.byId.has(id));
  if (isMoving && called.length === 0) return mounted;
  const count = isMoving ? 0 : A_FRAME;
  const { wanted, kept } = wantedNodes(now, mounted.size > 0);
  const missing = [...called, ...wanted.filter(id => !mounted.has(id) && !pinned.has(id)).slice(0, count)];
  const surplus = [...mounted].filter(id => !kept.has(id) && !pinned.has(id)).slice(0, count);
  if (missing.length === 0 && surplus.length === 0) return mounted;
  const next = new Set(mounted);
  for (const id of surplus) next.delete(id);
  for (const id of missing) next.add(id);
  return next;
}

function wantedNodes(
  { scene, viewport, size, positions }: RenderState['now'],
  isNear: boolean,
): { readonly wanted: readonly string[]; readonly kept: ReadonlySet<string> } {
  if (viewport.zoom < (isNear ? FAR_ZOOM : NEAR_ZOOM)) return { wanted: [], kept: new Set() };
  const view = viewOf(viewport, size);
  const [shown, around] = [grow(view, view.width * MARGIN), grow(view, view.width * KEPT_MARGIN)];
  const middle = { x: view.x + view.width / 2, y: view.y + view.height / 2 };
  const found: { readonly id: string; readonly far: number }[] = [];
  const kept = new Set<string>();
  for (const box of scene.boxes) {
    const position = positions.get(box.id);
    const at = position === undefined ? box : { ...box, ...position };
    if (!intersects(at, around)) continue;
    kept.add(box.id);
    if (intersects(at, shown)) found.push({ id: box.id, far: Math.hypot(at.x - middle.x, at.y - middle.y) });
  }
  return { wanted: found.sort((a, b) => a.far - b.far).map(({ id }) => id), kept };
}
