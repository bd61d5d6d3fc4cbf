// Finds the regions of a frame that must be redrawn after the previous frame.

import type { Layer } from '../timeline/draw-list.ts';
import { type Area, getPixelCount, intersectAreas, isEmpty, roundOutwards, uniteAreas } from './area.ts';

/**
 * Returns the layers that were added, removed or reordered. From back to front, matches each layer with an equal one of
 * the previous frame behind the last match, so that unchanged layers keep their relative order.
 */
export function findChangedLayers(before: readonly Layer[], after: readonly Layer[]): readonly Layer[] {
  const indexesByHash = Map.groupBy(before.keys(), index => before[index]?.hash);
  const unchanged = new Set<number>();
  let lastMatch = -1;
  const added = after.filter(({ hash }) => {
    const match = indexesByHash.get(hash)?.find(index => index > lastMatch);
    if (match === undefined) return true;
    unchanged.add(match);
    lastMatch = match;
    return false;
  });
  return [...before.filter((_layer, index) => !unchanged.has(index)), ...added];
}

/** Returns the number of lowest layers that are unchanged. */
export function countUnchanged(
  before: readonly { readonly hash: string }[],
  after: readonly Layer[],
): number {
  const firstChanged = after.findIndex(({ hash }, index) => hash !== before[index]?.hash);
  return firstChanged === -1 ? after.length : firstChanged;
}

const MAX_REGIONS = 4;
/** More regions than this are merged into one instead of pairwise. */
const MAX_COMPARED = 32;
/** For a larger share of the frame, redrawing everything is as fast. */
const FULL_REDRAW_SHARE = 0.8;

/** Merges areas into a few non-overlapping regions of whole pixels. */
export function mergeRegions(areas: readonly Area[], frame: Area): readonly Area[] {
  const regions: Area[] = [];
  for (const area of areas) {
    let region = intersectAreas(roundOutwards(area), frame);
    if (isEmpty(region)) continue;
    // A merged region may touch further regions.
    for (let other = findMergeable(regions, region); other >= 0; other = findMergeable(regions, region))
      region = uniteAreas(region, regions.splice(other, 1)[0] ?? region);
    regions.push(region);
    if (regions.length > MAX_COMPARED) regions.splice(0, regions.length, regions.reduce(uniteAreas));
  }
  if (regions.length > MAX_REGIONS) return [regions.reduce(uniteAreas)];
  const redrawnPixels = regions.reduce((sum, region) => sum + getPixelCount(region), 0);
  return redrawnPixels > FULL_REDRAW_SHARE * getPixelCount(frame) ? [frame] : regions;
}

/** Finds a region that overlaps with `region`, or is cheaper to draw together with it. */
const findMergeable = (regions: readonly Area[], region: Area): number =>
  regions.findIndex(
    other =>
      !isEmpty(intersectAreas(other, region)) ||
      getPixelCount(uniteAreas(other, region)) <= 1.3 * (getPixelCount(other) + getPixelCount(region)),
  );
