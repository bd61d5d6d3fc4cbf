// Matches planned audio with the available files, and reports what cannot be played.

import { SAMPLE_RATE } from '../../codecs/command.ts';
import type { Clip } from '../../codecs/decode.ts';
import { invalidSceneGraph } from '../schema/validate.ts';
import type { ResourceFile, ResourceFiles } from '../stills/still.ts';
import type { Timeline } from '../timeline/compile.ts';
import { type PlannedSound, planAudio } from './plan.ts';

/** A planned sound whose file has audio. Its length is what is audible. */
export interface ResolvedSound extends PlannedSound {
  readonly clip: Clip;
  /** In samples of the file at 48 kHz: where it starts, how many are used, and whether they loop. */
  readonly from: number;
  readonly sourceSamples: number;
  readonly isRepeated: boolean;
}

export interface ResolvedAudio {
  readonly sounds: readonly ResolvedSound[];
  /** JSON pointers and reasons of audio that is not played. */
  readonly warnings: readonly string[];
}

/** Pieces up to this length are decoded once and cached. Longer ones have a codec process while they play. */
export const LONG_SAMPLES = 20 * SAMPLE_RATE;
const MAX_CONCURRENT = 32;
const MAX_LONG_AT_ONCE = 12;
const MAX_SPEED = 16;

/** Throws `invalid_scene_graph` if too many sounds play at once. */
export function resolveAudio(timeline: Timeline, files: ResourceFiles): ResolvedAudio {
  const sounds: ResolvedSound[] = [];
  const warnings: string[] = [];
  for (const planned of planAudio(timeline)) {
    const sound = resolveSound(planned, files.get(planned.resource));
    if (typeof sound === 'string') warnings.push(`${planned.pointer} ${sound}.`);
    else if (sound !== undefined) sounds.push(sound);
  }
  const sorted = sounds.toSorted((a, b) => a.start - b.start);
  assertOverlapLimit(sorted, MAX_CONCURRENT, 'sounds');
  assertOverlapLimit(
    sorted.filter(({ sourceSamples }) => sourceSamples > LONG_SAMPLES),
    MAX_LONG_AT_ONCE,
    `sounds of over ${LONG_SAMPLES / SAMPLE_RATE} s`,
  );
  return { sounds: sorted, warnings };
}

/** Returns the sound, or why it cannot be played. Returns undefined for a clip without audio, which is not a problem. */
function resolveSound(
  sound: PlannedSound,
  file: ResourceFile | undefined,
): ResolvedSound | string | undefined {
  const isClip = sound.resource.startsWith('video-');
  if (file?.kind !== 'clip') {
    // A clip that cannot be seen either is reported by the painter.
    if (isClip) return undefined;
    return file?.kind === 'absent' ? file.reason : 'has no file that can be played';
  }
  const { info } = file;
  if (info.audio === undefined) return isClip ? undefined : 'is a file without sound';
  const { trim, speed, loop } = sound;
  if (speed > MAX_SPEED || speed < 1 / MAX_SPEED)
    return `is not played: ${Number(speed.toPrecision(3))} times its speed is outside the supported ${1 / MAX_SPEED} to ${MAX_SPEED}`;
  const from = Math.round(trim * SAMPLE_RATE);
  const availableSamples = Math.round(info.durationSeconds * SAMPLE_RATE) - from;
  if (availableSamples <= 0) return isClip ? undefined : `is trimmed to ${trim} s, where its file has ended`;
  const neededSamples = Math.ceil(sound.length * speed);
  const isRepeated = loop && neededSamples > availableSamples;
  const length = isRepeated
    ? sound.length
    : Math.min(sound.length, Math.max(1, Math.round(availableSamples / speed)));
  return {
    ...sound,
    clip: file,
    length,
    from,
    sourceSamples: isRepeated ? availableSamples : Math.min(availableSamples, neededSamples),
    isRepeated,
  };
}

function assertOverlapLimit(sounds: readonly ResolvedSound[], max: number, description: string): void {
  const ends: number[] = [];
  const late: string[] = [];
  for (const { start, length, pointer } of sounds) {
    const free = ends.findIndex(end => end <= start);
    if (free >= 0) ends[free] = start + length;
    else if (ends.length < max) ends.push(start + length);
    else late.push(pointer);
  }
  if (late.length === 0) return;
  const message = `plays at the same time as ${max} other ${description}, the maximum that can be mixed at once`;
  throw invalidSceneGraph(late.slice(0, 20).map(path => ({ path, code: 'too_many_sounds', message })));
}
