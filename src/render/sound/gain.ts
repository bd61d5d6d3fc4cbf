// Computes the gain of a sound at a sample, and its position between left and right.
import { SAMPLE_RATE } from '../../codecs/command.ts';
import type { Animated } from '../schema/values.ts';
import type { Timeline } from '../timeline/compile.ts';
import { clampToUnit, interpolate, mixNumbers, toKeyframes } from '../timeline/scope.ts';
import type { ResolvedSound } from './resolve-sounds.ts';

/** Returns the gain factor at a sample of the video. */
export type Gain = (sample: number) => number;

const MAX_VOLUME = 4;

/** Combines volume, fades and scene transitions. Valid only within the sound's own time. */
export function createSoundGain(sound: ResolvedSound, timeline: Timeline): Gain {
  const { start, length, fadeIn, fadeOut, sceneFades } = sound;
  const volume = createVolumeGain(sound.volume, sound, timeline);
  return sample => {
    const elapsed = sample - start;
    const up = fadeIn > 0 ? clampToUnit(elapsed / fadeIn) : 1;
    const down = fadeOut > 0 ? clampToUnit((length - elapsed) / fadeOut) : 1;
    return sceneFades.reduce(
      (gain, fade) => gain * getSceneFadeGain(fade, sample),
      up * down * volume(sample),
    );
  };
}

/** Computes a constant or animated volume, 0 to 4. `start`, `rate` and `span` define its clock. */
export function createVolumeGain(
  volume: Animated<number>,
  { start, rate, span }: Pick<ResolvedSound, 'start' | 'rate' | 'span'>,
  { names, fps }: Timeline,
): Gain {
  const bounded = (value: number): number => Math.min(MAX_VOLUME, Math.max(0, value));
  if (typeof volume === 'number') return () => bounded(volume);
  const keyframes = toKeyframes(volume.keyframes, { span, fps });
  return sample => {
    const now = ((sample - start) / SAMPLE_RATE) * rate;
    return bounded(interpolate(keyframes, { now, names }, constant => constant, mixNumbers));
  };
}

/** Returns the gain of an equal-power crossfade, which keeps the loudness of two unrelated signals constant. */
function getSceneFadeGain(
  { direction, start, length }: ResolvedSound['sceneFades'][number],
  sample: number,
): number {
  const turn = (clampToUnit((sample - start) / length) * Math.PI) / 2;
  return direction === 'in' ? Math.sin(turn) : Math.cos(turn);
}

/** Gains from each input channel to each output channel. */
export interface Pan {
  readonly ll: number;
  readonly lr: number;
  readonly rl: number;
  readonly rr: number;
}

/**
 * Returns the gains of equal-power panning, neutral in the middle. For stereo, the channel that is panned away is mixed
 * into the other so that nothing is lost (as the Web Audio API's StereoPannerNode does).
 */
export function getPan({ pan, clip }: ResolvedSound): Pan {
  if (pan === 0) return { ll: 1, lr: 0, rl: 0, rr: 1 };
  if (clip.info.audio?.channels === 1) {
    const turn = ((pan + 1) * Math.PI) / 4;
    return { ll: Math.SQRT2 * Math.cos(turn), lr: 0, rl: 0, rr: Math.SQRT2 * Math.sin(turn) };
  }
  const turn = (Math.abs(pan) * Math.PI) / 2;
  const [stays, moves] = [Math.cos(turn), Math.sin(turn)];
  return pan < 0 ? { ll: 1, lr: moves, rl: 0, rr: stays } : { ll: stays, lr: 0, rl: moves, rr: 1 };
}
