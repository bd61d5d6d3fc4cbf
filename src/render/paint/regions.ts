// What of a frame is drawn anew when it follows another one.

import type { Layer } from '../timeline/draw-list.ts';
import { type Area, common, isEmpty, pixelsAround, sizeOf, united } from './area.ts';

/**
 * The layers that came, went or changed their order. Those that stay must have kept their order among themselves:
 * looked for from back to front, each behind the one that was found before.
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

/** How many of the lowest layers are the same. */
export function countStill(before: readonly { readonly hash: string }[], after: readonly Layer[]): number {
  const first = after.findIndex(({ hash }, index) => hash !== before[index]?.hash);
  return first === -1 ? after.length : first;
}

const MOST_REGIONS = 4;
/** So many are compared with one another; then they become one. */
const MOST_COMPARED = 32;
/** From this share of the frame on, drawing all of it costs no more than minding its parts. */
const NEARLY_ALL = 0.8;

/** Areas of whole pixels that cover these and do not overlap. */
export function mergeRegions(areas: readonly Area[], frame: Area): readonly Area[] {
  const regions: Area[] = [];
  for (const area of areas) {
    let region = common(pixelsAround(area), frame);
    if (isEmpty(region)) continue;
    // A region that grew may touch others than before.
    for (let at = near(regions, region); at >= 0; at = near(regions, region))
      region = united(region, regions.splice(at, 1)[0] ?? region);
    regions.push(region);
    if (regions.length > MOST_COMPARED) regions.splice(0, regions.length, regions.reduce(united));
  }
  if (regions.length > MOST_REGIONS) return [regions.reduce(united)];
  const drawn = regions.reduce((sum, region) => sum + sizeOf(region), 0);
  return drawn > NEARLY_ALL * sizeOf(frame) ? [frame] : regions;
}

/** One that overlaps, or that can be drawn together with the region for little more. */
const near = (regions: readonly Area[], region: Area): number =>
  regions.findIndex(
    other =>
      !isEmpty(common(other, region)) ||
      sizeOf(united(other, region)) <= 1.3 * (sizeOf(other) + sizeOf(region)),
  );
