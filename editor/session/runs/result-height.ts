// Computes the height of the results in a node: of media from their aspect ratio, of text from its length.
import { createStore } from 'zustand/vanilla';
import { getMediaKind } from '../../kit/media-kind.ts';
import { MAX_SHOWN_RESULTS, type Result, toSmallText } from './results.ts';

const SIDE_MARGIN = 12;
/** Taller media are scaled down to this height. */
const MAX_HEIGHT = 320;
/** Height of an image or video until its size is known. */
const UNKNOWN_HEIGHT = 180;
const AUDIO_HEIGHT = 112;
const TEXT = { min: 44, max: 180, line: 17, padding: 18, charPx: 6.3 } as const;
/** Margin above the results. */
const GAP = 2;

export function getResultHeight(
  results: readonly Result[],
  width: number,
  aspects: ReadonlyMap<string, number>,
): number {
  const [first] = results;
  if (first === undefined) return 0;
  const innerWidth = width - 2 * SIDE_MARGIN;
  const shown = results.slice(0, MAX_SHOWN_RESULTS);
  if (shown.length === 1) return GAP + computeHeight(first, innerWidth, aspects);
  if (shown.every(result => result.kind === 'media' && getMediaKind(result) !== 'audio'))
    return GAP + Math.ceil(shown.length / 2) * (innerWidth / 2);
  const heights = shown.map(result => computeHeight(result, innerWidth, aspects));
  return (
    GAP +
    Math.min(
      MAX_HEIGHT,
      heights.reduce((sum, height) => sum + height, 0),
    )
  );
}

function computeHeight(result: Result, innerWidth: number, aspects: ReadonlyMap<string, number>): number {
  if (result.kind === 'media') {
    if (getMediaKind(result) === 'audio') return AUDIO_HEIGHT;
    const aspect = aspects.get(result.url);
    return aspect === undefined ? UNKNOWN_HEIGHT : Math.round(Math.min(MAX_HEIGHT, innerWidth / aspect));
  }
  const { min, max, line, padding, charPx } = TEXT;
  const perLine = Math.floor((innerWidth - 20) / charPx);
  const lines = toSmallText(result)
    .slice(0, 1000)
    .split('\n')
    .reduce((sum, text) => sum + Math.max(1, Math.ceil(text.length / perLine)), 0);
  return Math.min(max, Math.max(min, lines * line + padding));
}

/** Width divided by height, by URL. */
export const mediaAspects = createStore<ReadonlyMap<string, number>>(() => new Map());

const MAX_ASPECTS = 5000;

export function setAspect(url: string, width: number, height: number): void {
  const aspects = mediaAspects.getState();
  if (width <= 0 || height <= 0 || aspects.has(url)) return;
  const previousAspects = aspects.size < MAX_ASPECTS ? aspects : [];
  mediaAspects.setState(new Map(previousAspects).set(url, width / height), true);
}
