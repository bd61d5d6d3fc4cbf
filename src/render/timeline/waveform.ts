// Waveforms: bars that follow given peaks, or those of a sound file at the moment of it that is heard.
import type { WaveformElement } from '../schema/elements.ts';
import type { Content, Outline } from './draw-list.ts';
import { ease } from './easing.ts';
import { fillOf, type Peaks, type Scope } from './scope.ts';

interface Box {
  readonly scope: Scope;
  readonly width: number;
  readonly height: number;
  /** Key of the file. */
  readonly resource: string;
}

const BARS = 48;
/** Bars stand closer than peaks, so that they glide. */
const PEAKS_A_BAR = 0.5;

export function waveformContent(element: WaveformElement, { scope, width, height, resource }: Box): Content {
  const follows = element.peaks === undefined ? scope.peaks.get(resource) : undefined;
  const peaks = element.peaks ?? follows?.values;
  if (peaks === undefined)
    return { kind: 'missing', reason: 'is a waveform without peaks or a sound that can be read' };
  const count = element.bars ?? BARS;
  const fill = fillOf(element.color ?? '#ffffff', scope.names);
  const head =
    follows === undefined
      ? (scope.now / Math.max(1e-6, scope.span)) * (peaks.length - 1)
      : heardAt(follows, scope) * follows.perSecond - 0.5;
  const levels = levelsAround(peaks, head, count);
  const slot = width / count;
  if (element.form === 'line') {
    const points = levels.map((level, index): readonly [number, number] => [
      (index + 0.5) * slot,
      height / 2 - (index % 2 === 0 ? 1 : -1) * level * (height / 2),
    ]);
    const outline: Outline = { form: 'points', points, closed: false };
    const stroke = { color: fill, width: Math.max(1, slot * 0.3), dash: [], cap: 'round' } as const;
    return { kind: 'shape', outline, stroke };
  }
  const parts = barsOf(element, levels, slot, height);
  return { kind: 'shape', outline: { form: 'many', parts }, fill };
}

/** The moment of the file that is heard, in seconds; one before its beginning where it is not. */
function heardAt({ heard }: Peaks, { clock, now }: Scope): number {
  if (heard.length === 0) return now;
  const at = heard.find(({ start, end }) => clock >= start && clock < end);
  if (at === undefined) return Number.NEGATIVE_INFINITY;
  const passed = (clock - at.start) * at.speed;
  return at.trim + (at.period === undefined ? passed : passed % at.period);
}

/** A window of the sound around this moment, which slides through the bars. */
function levelsAround(peaks: ArrayLike<number>, head: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    const at = head + (index - (count - 1) / 2) * PEAKS_A_BAR;
    const low = Math.floor(at);
    const edge = Math.sin(((index + 0.5) / count) * Math.PI) ** 0.5;
    const from = peaks[low] ?? 0;
    const level = from + ((peaks[low + 1] ?? 0) - from) * ease('ease-in-out', at - low);
    return Math.max(0.02, level * edge);
  });
}

function barsOf(
  { form, gap }: WaveformElement,
  levels: readonly number[],
  slot: number,
  height: number,
): readonly Outline[] {
  const wide = slot * (1 - (gap ?? 0.4));
  const end = wide / 2;
  return levels.map((level, index): Outline => {
    const tall = form === 'dots' ? wide : Math.max(wide, level * height);
    const y =
      form === 'bars' ? height - tall : form === 'dots' ? (height - wide) * (1 - level) : (height - tall) / 2;
    const x = index * slot + (slot - wide) / 2;
    return { form: 'rect', x, y, width: wide, height: tall, radius: [end, end, end, end] };
  });
}
