// Computes the gain of a sound at each sample, and the gains that pan it between left and right.
import { SAMPLE_RATE } from '../../codecs/command.ts';
import type { Animated } from '../schema/values.ts';
import type { Timeline } from '../timeline/compile.ts';
import { clampToUnit, interpolate, mixNumbers, toKeyframes } from '../timeline/scope.ts';
import type { ResolvedSound } from './resolve-sounds.ts';

/** Returns the gain factor at a sample of the video. */
export type Gain = (sample: number) => number;

const MAX_VOLUME = 4;

/** Combines volume, fades and scene transitions. The gain is valid only while the sound plays. */
export function createSoundGain(sound: ResolvedSound, timeline: Timeline): Gain {
  const { start, length, fadeIn, fadeOut, sceneFades } = sound;
  const volume = createVolumeGain(sound.volume, sound, timeline);
  return sample => {
    const elapsed = sample - start;
    const fadeInGain = fadeIn > 0 ? clampToUnit(elapsed / fadeIn) : 1;
    const fadeOutGain = fadeOut > 0 ? clampToUnit((length - elapsed) / fadeOut) : 1;
    return sceneFades.reduce(
      (gain, fade) => gain * getSceneFadeGain(fade, sample),
      fadeInGain * fadeOutGain * volume(sample),
    );
  };
}

/** Computes a constant or animated volume, 0 to 4. `start`, `rate` and `span` define the clock of its keyframes. */
export function createVolumeGain(
  volume: Animated<number>,
  { start, rate, span }: Pick<ResolvedSound, 'start' | 'rate' | 'span'>,
  { names, fps }: Timeline,
): Gain {
  const clampVolume = (value: number): number => Math.min(MAX_VOLUME, Math.max(0, value));
  if (typeof volume === 'number') return () => clampVolume(volume);
  const keyframes = toKeyframes(volume.keyframes, { span, fps });
  return sample => {
    const now = ((sample - start) / SAMPLE_RATE) * rate;
    return clampVolume(interpolate(keyframes, { now, names }, constant => constant, mixNumbers));
  };
}

/** Returns the gain of an equal-power crossfade, which keeps the loudness of two unrelated signals constant. */
function getSceneFadeGain(
  { direction, start, length }: ResolvedSound['sceneFades'][number],
  sample: number,
): number {
  const angle = (clampToUnit((sample - start) / length) * Math.PI) / 2;
  return direction === 'in' ? Math.sin(angle) : Math.cos(angle);
}

/** The gain of each input channel in each output channel. */
export interface PanGains {
  readonly leftToLeft: number;
  readonly rightToLeft: number;
  readonly leftToRight: number;
  readonly rightToRight: number;
}

/**
 * Returns the gains of equal-power panning, neutral in the middle. For stereo, the channel that is panned away is mixed
 * into the other so that nothing is lost (as the Web Audio API's StereoPannerNode does).
 */
export function computePanGains({ pan, clip }: ResolvedSound): PanGains {
  const neutral: PanGains = { leftToLeft: 1, rightToLeft: 0, leftToRight: 0, rightToRight: 1 };
  if (pan === 0) return neutral;
  if (clip.info.audio?.channels === 1) {
    const angle = ((pan + 1) * Math.PI) / 4;
    return {
      ...neutral,
      leftToLeft: Math.SQRT2 * Math.cos(angle),
      rightToRight: Math.SQRT2 * Math.sin(angle),
    };
  }
  const angle = (Math.abs(pan) * Math.PI) / 2;
  return pan < 0
    ? { ...neutral, rightToLeft: Math.sin(angle), rightToRight: Math.cos(angle) }
    : { ...neutral, leftToLeft: Math.cos(angle), leftToRight: Math.sin(angle) };
}
