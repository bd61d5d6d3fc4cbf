// Finds the regions of a frame that must be redrawn after the previous frame.

import type { Layer } from '../timeline/draw-list.ts';
import { type Area, intersectAreas, isEmpty, pixelsAround, sizeOf, uniteAreas } from './area.ts';

/**
 * Returns the layers that were added, removed or reordered. The remaining layers keep their relative order: each is
 * looked up behind the previous match, from back to front.
 */
export function changedLayers(before: readonly Layer[], after: readonly Layer[]): readonly Layer[] {
  const places = Map.groupBy(before.keys(), index => before[index]?.hash);
  const stays = new Set<number>();
  let last = -1;
  const came = after.filter(({ hash }) => {
    const at = places.get(hash)?.find(index => index > last);
    if (at === undefined) return true;
    stays.add(at);
    last = at;
    return false;
  });
  return [...before.filter((_layer, index) => !stays.has(index)), ...came];
}

/** The number of lowest layers that are unchanged. */
export function countStill(before: readonly { readonly hash: string }[], after: readonly Layer[]): number {
  const first = after.findIndex(({ hash }, index) => hash !== before[index]?.hash);
  return first === -1 ? after.length : first;
}

const MAX_REGIONS = 4;
/** Up to this many regions are merged pairwise; beyond it they become one. */
const MAX_COMPARED = 32;
/** From this share of the frame on, redrawing everything costs no more. */
const FULL_REDRAW_SHARE = 0.8;

/** Merges areas into non-overlapping areas of whole pixels that cover all of them. */
export function mergeRegions(areas: readonly Area[], frame: Area): readonly Area[] {
  const regions: Area[] = [];
  for (const area of areas) {
    let region = intersectAreas(pixelsAround(area), frame);
    if (isEmpty(region)) continue;
    // A region that grew may now touch others.
    for (let at = near(regions, region); at >= 0; at = near(regions, region))
      region = uniteAreas(region, regions.splice(at, 1)[0] ?? region);
    regions.push(region);
    if (regions.length > MAX_COMPARED) regions.splice(0, regions.length, regions.reduce(uniteAreas));
  }
  if (regions.length > MAX_REGIONS) return [regions.reduce(uniteAreas)];
  const drawn = regions.reduce((sum, region) => sum + sizeOf(region), 0);
  return drawn > FULL_REDRAW_SHARE * sizeOf(frame) ? [frame] : regions;
}

/** Finds a region that overlaps, or is cheaper to draw together with the given one. */
const near = (regions: readonly Area[], region: Area): number =>
  regions.findIndex(
    other =>
      !isEmpty(intersectAreas(other, region)) ||
      sizeOf(uniteAreas(other, region)) <= 1.3 * (sizeOf(other) + sizeOf(region)),
  );
