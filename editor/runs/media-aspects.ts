// Stores the aspect ratios of loaded images and videos, so that nodes show them uncropped.
import { createStore } from 'zustand/vanilla';

/** Width divided by height, by URL. */
export const mediaAspects = createStore<ReadonlyMap<string, number>>(() => new Map());

const MAX_ASPECTS = 5000;

export function setAspect(url: string, width: number, height: number): void {
  const aspects = mediaAspects.getState();
  if (width <= 0 || height <= 0 || aspects.has(url)) return;
  const kept = aspects.size < MAX_ASPECTS ? aspects : [];
  mediaAspects.setState(new Map(kept).set(url, width / height), true);
}
