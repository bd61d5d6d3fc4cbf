// Converts waveforms to bars or lines that show given peaks, or the peaks of an audio file around the current moment.

import { ease } from '../../graph/easing.ts';
import type { WaveformElement } from '../schema/elements.ts';
import type { Content, Corners, Outline } from './draw-list.ts';
import { type ElementContext, type Peaks, type PlayedInterval, type Scope, toFill } from './scope.ts';

const BARS = 48;
/** Bars are closer together than peaks, so that they move smoothly. */
const PEAKS_PER_BAR = 0.5;

export function toWaveformContent(
  element: WaveformElement,
  { scope, width, height, resource }: ElementContext,
): Content {
  const filePeaks = element.peaks === undefined ? scope.peaks.get(resource) : undefined;
  const peaks = element.peaks ?? filePeaks?.values;
  if (peaks === undefined)
    return { kind: 'missing', reason: 'is a waveform without peaks or a sound that can be read' };
  const count = element.bars ?? BARS;
  const fill = toFill(element.color ?? '#ffffff', scope.names);
  const window =
    filePeaks === undefined
      ? { head: (scope.now / Math.max(1e-6, scope.span)) * (peaks.length - 1), from: 0, to: peaks.length }
      : findPlayedWindow(filePeaks, scope);
  const levels = readLevels(peaks, window, count);
  const spacing = width / count;
  if (element.form === 'line') {
    const points = levels.map((level, index): readonly [number, number] => [
      (index + 0.5) * spacing,
      height / 2 - (index % 2 === 0 ? 1 : -1) * level * (height / 2),
    ]);
    const outline: Outline = { form: 'points', points, closed: false };
    const stroke = { color: fill, width: Math.max(1, spacing * 0.3), dash: [], cap: 'round' } as const;
    return { kind: 'shape', outline, stroke };
  }
  const parts = toBars(element, levels, spacing, height);
  return { kind: 'shape', outline: { form: 'many', parts }, fill };
}

/** The index of the middle bar's peak, and the range of indexes that may be shown. All may be fractions. */
interface PeakWindow {
  readonly head: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the range of the file that plays now, or nearest in time. The bars slide in before the start of the range and out
 * after its end.
 */
function findPlayedWindow({ playedIntervals, perSecond, values }: Peaks, { clock, now }: Scope): PeakWindow {
  const [firstInterval, ...otherIntervals] = playedIntervals;
  if (firstInterval === undefined) return { head: now * perSecond - 0.5, from: 0, to: values.length };
  const getGap = ({ start, end }: PlayedInterval): number => Math.max(start - clock, clock - end, 0);
  const { start, end, trim, speed, period } = otherIntervals.reduce(
    (nearest, interval) => (getGap(interval) <= getGap(nearest) ? interval : nearest),
    firstInterval,
  );
  const [passed, length] = [(clock - start) * speed, (end - start) * speed];
  const isRepeating = period !== undefined && passed > 0 && passed < length;
  return {
    head: (trim + (isRepeating ? passed % period : passed)) * perSecond - 0.5,
    from: trim * perSecond,
    to: (trim + (period ?? length)) * perSecond,
  };
}

/** Returns the interpolated peaks of the bars at this moment. */
function readLevels(
  peaks: ArrayLike<number>,
  { head, from, to }: PeakWindow,
  count: number,
): readonly number[] {
  const readPeak = (index: number): number => (index >= from - 1 && index < to ? (peaks[index] ?? 0) : 0);
  return Array.from({ length: count }, (_, index) => {
    const position = head + (index - (count - 1) / 2) * PEAKS_PER_BAR;
    const low = Math.floor(position);
    const edge = Math.sin(((index + 0.5) / count) * Math.PI) ** 0.5;
    const level = readPeak(low) + (readPeak(low + 1) - readPeak(low)) * ease('ease-in-out', position - low);
    return Math.max(0.02, level * edge);
  });
}

function toBars(
  { form, gap }: WaveformElement,
  levels: readonly number[],
  spacing: number,
  height: number,
): readonly Outline[] {
  const barWidth = spacing * (1 - (gap ?? 0.4));
  const endRadius = barWidth / 2;
  return levels.map((level, index): Outline => {
    const barHeight = form === 'dots' ? barWidth : Math.max(barWidth, level * height);
    const y =
      form === 'bars'
        ? height - barHeight
        : form === 'dots'
          ? (height - barWidth) * (1 - level)
          : (height - barHeight) / 2;
    const x = index * spacing + (spacing - barWidth) / 2;
    const radius: Corners = [endRadius, endRadius, endRadius, endRadius];
    return { form: 'rect', x, y, width: barWidth, height: barHeight, radius };
  });
}
