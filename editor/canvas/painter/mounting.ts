// Decides which nodes are in the DOM. Mounting is expensive, so no node is mounted or unmounted while the view moves,
// and only a few nodes per frame once the view stops. The painter draws the nodes that are not mounted yet.
import { FAR_ZOOM, getVisibleRect } from './painting.ts';
import type { RenderState } from './render-state.ts';
import { grow, intersects } from './scene.ts';

/** Mounting starts slightly above the far zoom, so that nodes do not flicker between painted and mounted. */
const NEAR_ZOOM = 0.34;
/** Boards up to this size have all nodes mounted, so that assistive software finds them. */
export const SMALL_BOARD_NODES = 60;
/** Nodes mounted or unmounted per frame while the view does not move. */
const NODES_PER_FRAME = 2;
/** Margin around the view in which nodes are mounted, as a fraction of its size. */
const MOUNT_MARGIN = 0.15;
/** Nodes are unmounted beyond this margin. */
const KEEP_MARGIN = 0.5;

/**
 * Returns the next set of mounted nodes, which differs by at most NODES_PER_FRAME added and removed nodes, or the same set
 * if nothing changes. Nodes in `required` are mounted immediately: they have or will get the focus, or are the start of a
 * connection.
 */
export function getNextMounted(now: RenderState['now'], required: ReadonlySet<string>): ReadonlySet<string> {
  const { scene, mounted, isMoving } = now;
  if (scene.nodes.length <= SMALL_BOARD_NODES) {
    const isAll = mounted.size === scene.nodes.length && scene.nodes.every(({ id }) => mounted.has(id));
    return isAll ? mounted : new Set(scene.nodes.map(({ id }) => id));
  }
  const missingRequired = [...required].filter(id => !mounted.has(id) && scene.byId.has(id));
  if (isMoving && missingRequired.length === 0) return mounted;
  const count = isMoving ? 0 : NODES_PER_FRAME;
  const { mountIds, keepIds } = findTargetNodes(now, mounted.size > 0);
  const missing = [
    ...missingRequired,
    ...mountIds.filter(id => !mounted.has(id) && !required.has(id)).slice(0, count),
  ];
  const surplus = [...mounted].filter(id => !keepIds.has(id) && !required.has(id)).slice(0, count);
  if (missing.length === 0 && surplus.length === 0) return mounted;
  const next = new Set(mounted);
  for (const id of surplus) next.delete(id);
  for (const id of missing) next.add(id);
  return next;
}

function findTargetNodes(
  { scene, viewport, size, positions }: RenderState['now'],
  hasMounted: boolean,
): { readonly mountIds: readonly string[]; readonly keepIds: ReadonlySet<string> } {
  if (viewport.zoom < (hasMounted ? FAR_ZOOM : NEAR_ZOOM)) return { mountIds: [], keepIds: new Set() };
  const view = getVisibleRect(viewport, size);
  const [mountArea, keepArea] = [grow(view, view.width * MOUNT_MARGIN), grow(view, view.width * KEEP_MARGIN)];
  const middle = { x: view.x + view.width / 2, y: view.y + view.height / 2 };
  const candidates: { readonly id: string; readonly distance: number }[] = [];
  const keepIds = new Set<string>();
  for (const node of scene.nodes) {
    const position = positions.get(node.id);
    const rect = position === undefined ? node : { ...node, ...position };
    if (!intersects(rect, keepArea)) continue;
    keepIds.add(node.id);
    if (intersects(rect, mountArea))
      candidates.push({ id: node.id, distance: Math.hypot(rect.x - middle.x, rect.y - middle.y) });
  }
  return { mountIds: candidates.sort((a, b) => a.distance - b.distance).map(({ id }) => id), keepIds };
}
