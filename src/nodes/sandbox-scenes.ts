// Builds the scenes of the sandbox video models.
import type { JsonObject } from '../graph/types.ts';

export const FPS = 24;
/** Reserved URLs, which are never fetched because the node provides the content. */
export const SOURCES = {
  first: 'https://sandbox.invalid/first',
  second: 'https://sandbox.invalid/second',
  portrait: 'https://sandbox.invalid/portrait',
  wash: 'https://sandbox.invalid/wash',
  speech: 'https://sandbox.invalid/speech',
} as const;

interface Clip {
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
}

const PROMPT_CHARACTERS = 200;

/** Returns a scene that fades between two images and back, so that it loops, with a label in the corner. */
export function createSandboxScene({ width, height, frameCount }: Clip, prompt: string): JsonObject {
  const seconds = frameCount / FPS;
  const createImage = (src: string, properties: JsonObject): JsonObject => ({
    type: 'image',
    src,
    ...properties,
  });
  const createKeyframe = (time: number, value: number): JsonObject => ({
    time,
    value,
    easing: 'ease-in-out',
  });
  return {
    ...createFrameSettings({ width, height, frameCount }),
    scenes: [
      {
        duration: seconds,
        elements: [
          createImage(SOURCES.first, {
            scale: {
              keyframes: [
                createKeyframe(0, 1),
                createKeyframe(seconds / 2, 1.08),
                createKeyframe(seconds, 1),
              ],
            },
          }),
          createImage(SOURCES.second, {
            opacity: {
              keyframes: [createKeyframe(0, 0), createKeyframe(seconds / 2, 1), createKeyframe(seconds, 0)],
            },
          }),
        ],
      },
    ],
    overlays: [createLabel(prompt.replace(/\s+/g, ' ').trim().slice(0, PROMPT_CHARACTERS)), PROGRESS],
  };
}

/** Returns a scene of a labeled, tinted image with the waveform of the speech in front. */
export function createTalkingScene({ width, height, frameCount }: Clip): JsonObject {
  return {
    ...createFrameSettings({ width, height, frameCount }),
    scenes: [
      {
        duration: frameCount / FPS,
        elements: [
          { type: 'image', src: SOURCES.portrait },
          { type: 'image', src: SOURCES.wash },
          {
            type: 'waveform',
            src: SOURCES.speech,
            form: 'mirror',
            bars: 40,
            color: '#ffffff',
            y: '74%',
            width: '56%',
            height: '14%',
          },
        ],
      },
    ],
    overlays: [PROGRESS],
    audioTrack: { items: [{ src: SOURCES.speech, role: 'voice' }], loudness: 'off' },
  };
}

const createFrameSettings = ({ width, height, frameCount }: Clip): JsonObject => ({
  fps: FPS,
  width,
  height,
  durationInFrames: frameCount,
  background: '#0b0d12',
});

const PROGRESS: JsonObject = {
  type: 'progress',
  x: 0,
  y: '100%',
  anchor: 'bottom-left',
  height: '1.4%',
  color: '#ffffff',
  trackColor: '#ffffff30',
  rounded: false,
};

function createLabel(prompt: string): JsonObject {
  const promptRuns = prompt === '' ? [] : [{ text: `  ${prompt}`, fontWeight: 400 }];
  return {
    type: 'text',
    runs: [{ text: 'SANDBOX', fontWeight: 800 }, ...promptRuns],
    x: '3.5%',
    y: '93%',
    anchor: 'bottom-left',
    width: '93%',
    align: 'left',
    fontSize: '3.4vmin',
    maxLines: 1,
    fit: 'none',
    textBackground: { color: '#0b0d12dc', padding: 0.7, radius: 1 },
  };
}
