// Plans which part of which audio file plays when, as plain data, in samples of the video.
import { SAMPLE_RATE } from '../../codecs/command.ts';
import type { AudioElement, Element, ROLES, VideoElement } from '../schema/elements.ts';
import type { AudioItem } from '../schema/scene-graph.ts';
import type { Animated } from '../schema/values.ts';
import type { SceneSpan, Timeline } from '../timeline/compile.ts';
import { toSeconds } from '../timeline/scope.ts';

export interface PlannedSound {
  readonly pointer: string;
  /** Key of the file. */
  readonly resource: string;
  readonly role: (typeof ROLES)[number];
  /** In samples of the video: the start, and the maximum length. */
  readonly start: number;
  readonly length: number;
  /** Where the sound starts in the file, in seconds, and how many file seconds pass in one second of the video. */
  readonly trim: number;
  readonly speed: number;
  readonly loop: boolean;
  /** Keyframes use a clock that runs at the container's `rate` and ends after `span` seconds. */
  readonly volume: Animated<number>;
  readonly rate: number;
  readonly span: number;
  readonly pan: number;
  /** In samples. */
  readonly fadeIn: number;
  readonly fadeOut: number;
  readonly sceneFades: readonly SceneFade[];
}

/** A scene transition during which the sound fades in or out, in samples of the video. */
export interface SceneFade {
  readonly direction: 'in' | 'out';
  readonly start: number;
  readonly length: number;
}

/** The clock of a container. `origin` and `end` are in seconds of the video; the clock starts at 0 and runs at `rate`. */
interface Clock {
  readonly origin: number;
  readonly rate: number;
  readonly end: number;
  /** Duration in seconds of this clock. */
  readonly span: number;
  readonly sceneFades: readonly SceneFade[];
}

/** Number of samples in a block: a tenth of a second. */
export const BLOCK_SAMPLES = 4800;

/** Returns the first sample of a frame. */
export const toSample = (frame: number, fps: number): number => Math.round((frame * SAMPLE_RATE) / fps);

/** Returns all audio of the graph, whether or not its files can be read. */
export function planAudio(timeline: Timeline): readonly PlannedSound[] {
  const { graph, fps, durationInFrames } = timeline;
  const end = durationInFrames / fps;
  const videoClock: Clock = { origin: 0, rate: 1, end, span: end, sceneFades: [] };
  const sceneSounds = timeline.scenes.flatMap((span, index) =>
    planElements(
      timeline,
      span.scene.elements,
      `${span.pointer}/elements`,
      createSceneClock(span, timeline.scenes[index + 1], fps, end),
    ),
  );
  const trackSounds = (graph.tracks ?? []).flatMap((track, index) =>
    track.hidden === true
      ? []
      : planElements(timeline, track.elements, `/tracks/${index}/elements`, videoClock),
  );
  const itemSounds = (graph.audioTrack?.items ?? []).flatMap((item, index) =>
    planSound(timeline, { role: 'music', ...item }, `/audioTrack/items/${index}`, item, videoClock),
  );
  return [
    ...sceneSounds,
    ...trackSounds,
    ...planElements(timeline, graph.overlays, '/overlays', videoClock),
    ...itemSounds,
  ];
}

function createSceneClock(
  scene: SceneSpan,
  next: SceneSpan | undefined,
  fps: number,
  videoEnd: number,
): Clock {
  const toFades = (direction: SceneFade['direction'], { start, overlap }: SceneSpan): readonly SceneFade[] =>
    overlap === 0
      ? []
      : [
          {
            direction,
            start: toSample(start, fps),
            length: toSample(start + overlap, fps) - toSample(start, fps),
          },
        ];
  return {
    origin: scene.start / fps,
    rate: 1,
    end: Math.min(videoEnd, scene.end / fps),
    span: (scene.end - scene.start) / fps,
    sceneFades: [...toFades('in', scene), ...(next === undefined ? [] : toFades('out', next))],
  };
}

/** Plans the audio of elements. The schema limits how deep groups are nested. Masks are skipped: they have no sound. */
function planElements(
  timeline: Timeline,
  elements: readonly Element[] | undefined,
  pointer: string,
  clock: Clock,
): readonly PlannedSound[] {
  return (elements ?? []).flatMap((element, index): readonly PlannedSound[] => {
    if (element.hidden === true) return [];
    const elementPointer = `${pointer}/${index}`;
    if (element.type === 'group') {
      const elementClock = createElementClock(element, clock, timeline.fps);
      const speed = element.speed ?? 1;
      const groupClock = {
        ...elementClock,
        rate: elementClock.rate * speed,
        span: elementClock.span * speed,
      };
      return elementClock.end <= elementClock.origin
        ? []
        : planElements(timeline, element.elements, `${elementPointer}/elements`, groupClock);
    }
    const isAudible = element.type === 'audio' || (element.type === 'video' && element.muted !== true);
    return isAudible
      ? planSound(timeline, { role: 'effect', ...element }, elementPointer, element, clock)
      : [];
  });
}

function createElementClock(
  { start, duration }: Pick<AudioItem, 'start' | 'duration'>,
  outer: Clock,
  fps: number,
): Clock {
  const from = toSeconds(start ?? 0, outer.span, fps);
  const span = duration === undefined ? Math.max(0, outer.span - from) : toSeconds(duration, outer.span, fps);
  const origin = outer.origin + from / outer.rate;
  return { ...outer, origin, span, end: Math.min(outer.end, origin + span / outer.rate) };
}

type AudioSource = AudioItem | AudioElement | VideoElement;

function planSound(
  timeline: Timeline,
  source: AudioSource & Pick<PlannedSound, 'role'>,
  pointer: string,
  sourceFields: object,
  outer: Clock,
): readonly PlannedSound[] {
  const { fps, keys } = timeline;
  const { origin, end, rate, span, sceneFades } = createElementClock(source, outer, fps);
  const [start, endSample] = [origin, end].map(seconds => Math.round(seconds * SAMPLE_RATE)) as [
    number,
    number,
  ];
  const resource = keys.get(sourceFields);
  if (endSample <= start || resource === undefined) return [];
  const toSamples = (time: AudioItem['fadeIn']): number =>
    time === undefined ? 0 : Math.round((toSeconds(time, span, fps) / rate) * SAMPLE_RATE);
  return [
    {
      pointer,
      resource,
      role: source.role,
      start,
      length: endSample - start,
      trim: toSeconds(source.trim ?? 0, span, fps),
      speed: (source.speed ?? 1) * rate,
      loop: source.loop ?? false,
      volume: source.volume ?? 1,
      rate,
      span,
      pan: source.pan ?? 0,
      fadeIn: toSamples(source.fadeIn),
      fadeOut: toSamples(source.fadeOut),
      sceneFades: sceneFades.filter(({ start: from, length }) => from < endSample && from + length > start),
    },
  ];
}
