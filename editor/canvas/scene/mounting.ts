// Which nodes are in the page. Putting a node in is what costs (not finding which are seen), so few are put in or taken out
// in a frame; the painter draws the others meanwhile.
import { viewOf } from './paint.ts';
import { grow, meets } from './scene.ts';
import type { Stage } from './stage.ts';

/** Below this zoom text cannot be read, and nodes are painted; it is a little more to bring them back. */
export const FAR_ZOOM = 0.32;
const NEAR_ZOOM = 0.34;
/** Boards of fewer nodes have all of them in the page, so that assistive software finds them. */
export const FEW = 60;
/** Nodes put in or taken out in one frame while the view rests. */
export const A_FRAME = 3;
/** More than these are taken out even while the view moves. */
const MANY = 160;
/** Nodes around the view that are put in as well, as a part of its size. */
const MARGIN = 0.15;
/** They are taken out when they are further away than this. */
const KEPT_MARGIN = 0.5;

/** Nodes that must stay: they have the focus, or an edge is being drawn from them. */
export type Pinned = () => ReadonlySet<string>;

/** The next set of mounted nodes, a few steps nearer to what is wanted; the same set where nothing is left to do. */
export function nextMounted(
  { now }: Stage,
  { pinned, count }: { readonly pinned: ReadonlySet<string>; readonly count: number },
): ReadonlySet<string> {
  const { scene, mounted } = now;
  if (scene.boxes.length <= FEW) {
    const isAll = mounted.size === scene.boxes.length && scene.boxes.every(({ id }) => mounted.has(id));
    return isAll ? mounted : new Set(scene.boxes.map(({ id }) => id));
  }
  const { wanted, kept } = wantedNodes(now, mounted.size > 0);
  const missing = wanted.filter(id => !mounted.has(id)).slice(0, count);
  const surplus = [...mounted]
    .filter(id => !kept.has(id) && !pinned.has(id))
    .slice(0, count === A_FRAME || mounted.size > MANY ? count : 0);
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
