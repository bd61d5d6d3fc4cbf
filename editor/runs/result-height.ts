// Computes how high the result in a node is: media at their own aspect, texts by their length.
import { getMediaKind } from '../kit/media-view.tsx';
import { MAX_SHOWN_RESULTS, type Result, toText } from './results.ts';

const SIDE = 12;
/** Media that are higher become narrower instead. */
const MAX_HEIGHT = 320;
/** Until the picture is loaded. */
const UNKNOWN_HEIGHT = 180;
const AUDIO_HEIGHT = 112;
const TEXT = { min: 44, max: 180, line: 17, padding: 18, charPx: 6.3 } as const;
/** The margin above. */
const GAP = 2;

export function getResultHeight(
  results: readonly Result[],
  width: number,
  aspects: ReadonlyMap<string, number>,
): number {
  const [first] = results;
  if (first === undefined) return 0;
  const inner = width - 2 * SIDE;
  const shown = results.slice(0, MAX_SHOWN_RESULTS);
  if (shown.length === 1) return GAP + heightOfOne(first, inner, aspects);
  if (shown.every(result => result.kind === 'media' && getMediaKind(result) !== 'audio'))
    return GAP + Math.ceil(shown.length / 2) * (inner / 2);
  const heights = shown.map(result => heightOfOne(result, inner, aspects));
  return (
    GAP +
    Math.min(
      MAX_HEIGHT,
      heights.reduce((sum, height) => sum + height, 0),
    )
  );
}

function heightOfOne(result: Result, inner: number, aspects: ReadonlyMap<string, number>): number {
  if (result.kind === 'media') {
    if (getMediaKind(result) === 'audio') return AUDIO_HEIGHT;
    const aspect = aspects.get(result.url);
    return aspect === undefined ? UNKNOWN_HEIGHT : Math.round(Math.min(MAX_HEIGHT, inner / aspect));
  }
  const { min, max, line, padding, charPx } = TEXT;
  const perLine = Math.floor((inner - 20) / charPx);
  const lines = toText(result)
    .slice(0, 1000)
    .split('\n')
    .reduce((sum, text) => sum + Math.max(1, Math.ceil(text.length / perLine)), 0);
  return Math.min(max, Math.max(min, lines * line + padding));
}
