// Matches planned audio with the available files, and reports what cannot be played.

import { SAMPLE_RATE } from '../../codecs/command.ts';
import type { Clip } from '../../codecs/decode.ts';
import { createInvalidSceneGraphError } from '../schema/validate.ts';
import type { ResourceFile, ResourceFiles } from '../stills/still.ts';
import type { Timeline } from '../timeline/compile.ts';
import { type PlannedSound, planAudio } from './plan.ts';

/** A planned sound whose file has audio. `length` counts only audible samples. */
export interface ResolvedSound extends PlannedSound {
  readonly clip: Clip;
  /** In samples of the file at 48 kHz: the first one that is used, and how many are used. */
  readonly from: number;
  readonly sourceSamples: number;
  /** Whether these samples loop. */
  readonly isRepeated: boolean;
}

export interface ResolvedAudio {
  readonly sounds: readonly ResolvedSound[];
  /** JSON pointers and reasons of audio that is not played. */
  readonly warnings: readonly string[];
}

/** A piece up to this length is decoded once and cached. A longer one has a codec process while it plays. */
export const LONG_SAMPLES = 20 * SAMPLE_RATE;
const MAX_CONCURRENT = 32;
const MAX_CONCURRENT_LONG = 12;
const MAX_SPEED = 16;

/** Throws `invalid_scene_graph` if too many sounds play concurrently. */
export function resolveAudio(timeline: Timeline, files: ResourceFiles): ResolvedAudio {
  const sounds: ResolvedSound[] = [];
  const warnings: string[] = [];
  for (const planned of planAudio(timeline)) {
    const sound = resolveSound(planned, files.get(planned.resource));
    if (typeof sound === 'string') warnings.push(`${planned.pointer} ${sound}.`);
    else if (sound !== undefined) sounds.push(sound);
  }
  const sorted = sounds.toSorted((a, b) => a.start - b.start);
  requireWithinOverlapLimit(sorted, MAX_CONCURRENT, 'sounds');
  requireWithinOverlapLimit(
    sorted.filter(({ sourceSamples }) => sourceSamples > LONG_SAMPLES),
    MAX_CONCURRENT_LONG,
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
    // The painter reports a clip whose file is missing.
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

function requireWithinOverlapLimit(sounds: readonly ResolvedSound[], max: number, description: string): void {
  const ends: number[] = [];
  const excessPointers: string[] = [];
  for (const { start, length, pointer } of sounds) {
    const freeIndex = ends.findIndex(end => end <= start);
    if (freeIndex >= 0) ends[freeIndex] = start + length;
    else if (ends.length < max) ends.push(start + length);
    else excessPointers.push(pointer);
  }
  if (excessPointers.length === 0) return;
  const message = `plays at the same time as ${max} other ${description}, which is the maximum`;
  throw createInvalidSceneGraphError(
    excessPointers.slice(0, 20).map(path => ({ path, code: 'too_many_sounds', message })),
  );
}
