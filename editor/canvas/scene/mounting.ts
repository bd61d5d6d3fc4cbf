// Which nodes are in the page. Putting a node in is what costs (not finding which are seen), so none is put in or taken out
// while the view moves, and few in a frame once it rests; the painter draws the others meanwhile.
import { FAR_ZOOM, viewOf } from './painting.ts';
import { grow, meets } from './scene.ts';
import type { Stage } from './stage.ts';

/** A little more than where nodes are far brings them back. */
const NEAR_ZOOM = 0.34;
/** Boards of fewer nodes have all of them in the page, so that assistive software finds them. */
export const FEW = 60;
/** Nodes put in, and nodes taken out, in one frame while the view rests. */
const A_FRAME = 2;
/** Nodes around the view that are put in as well, as a part of its size. */
const MARGIN = 0.15;
/** They are taken out when they are further away than this. */
const KEPT_MARGIN = 0.5;

/**
 * The next set of mounted nodes, a few steps nearer to what is wanted; the same set where nothing is left to do. Those in
 * `pinned` must be in the page: they have the focus or are to get it, or an edge is being drawn from them.
 */
export function nextMounted(now: Stage['now'], pinned: ReadonlySet<string>): ReadonlySet<string> {
  const { scene, mounted, isMoving } = now;
  if (scene.boxes.length <= FEW) {
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
  { scene, viewport, size, places }: Stage['now'],
  isNear: boolean,
): { readonly wanted: readonly string[]; readonly kept: ReadonlySet<string> } {
  if (viewport.zoom < (isNear ? FAR_ZOOM : NEAR_ZOOM)) return { wanted: [], kept: new Set() };
  const view = viewOf(viewport, size);
  const [shown, around] = [grow(view, view.width * MARGIN), grow(view, view.width * KEPT_MARGIN)];
  const middle = { x: view.x + view.width / 2, y: view.y + view.height / 2 };
  const found: { readonly id: string; readonly far: number }[] = [];
  const kept = new Set<string>();
  for (const box of scene.boxes) {
    const place = places.get(box.id);
    const at = place === undefined ? box : { ...box, ...place };
    if (!meets(at, around)) continue;
    kept.add(box.id);
    if (meets(at, shown)) found.push({ id: box.id, far: Math.hypot(at.x - middle.x, at.y - middle.y) });
  }
  return { wanted: found.sort((a, b) => a.far - b.far).map(({ id }) => id), kept };
}
