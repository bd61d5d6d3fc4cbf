// Finds the regions of a frame that differ from the previous frame and must be redrawn.

import type { Layer } from '../timeline/draw-list.ts';
import { type Area, getPixelCount, intersectAreas, isEmpty, roundOutwards, uniteAreas } from './area.ts';

/**
 * Returns the layers that were added, removed or reordered. Matches equal layers from back to front. Each match must be
 * above the last one, so that matched layers have the same order in both frames.
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
/** More regions than this are merged into one, because comparing each with all others would take too long. */
const MAX_COMPARED = 32;
/** If more than this share of the frame must be redrawn, redrawing the whole frame is as fast. */
const FULL_REDRAW_SHARE = 0.8;

/** Merges areas into a few non-overlapping regions of whole pixels. */
export function mergeRegions(areas: readonly Area[], frame: Area): readonly Area[] {
  const regions: Area[] = [];
  for (const area of areas) {
    let region = intersectAreas(roundOutwards(area), frame);
    if (isEmpty(region)) continue;
    // A merged region may touch further regions.
    for (let index = findMergeable(regions, region); index >= 0; index = findMergeable(regions, region))
      region = uniteAreas(region, regions.splice(index, 1)[0] ?? region);
    regions.push(region);
    if (regions.length > MAX_COMPARED) regions.splice(0, regions.length, regions.reduce(uniteAreas));
  }
  if (regions.length > MAX_REGIONS) return [regions.reduce(uniteAreas)];
  const redrawnPixels = regions.reduce((sum, region) => sum + getPixelCount(region), 0);
  return redrawnPixels > FULL_REDRAW_SHARE * getPixelCount(frame) ? [frame] : regions;
}

/** Returns the index of a region that overlaps with `region` or is cheaper to draw with it, or -1. */
const findMergeable = (regions: readonly Area[], region: Area): number =>
  regions.findIndex(
    other =>
      !isEmpty(intersectAreas(other, region)) ||
      getPixelCount(uniteAreas(other, region)) <= 1.3 * (getPixelCount(other) + getPixelCount(region)),
  );
