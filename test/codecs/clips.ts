// Creates frames that show their number, and sounds with a recognizable start, to check the output of codecs.
import { type Backend, CHANNELS, type PixelFormat, SAMPLE_RATE } from '../../src/codecs/command.ts';
import { type Clip, decodeFrames, type FramesRequest } from '../../src/codecs/decode.ts';

export const WIDTH = 96;
export const HEIGHT = 64;
const BITS = 8;

/** Draws an RGBA frame. The upper half shows the number as eight white or black bars, with the lowest bit on the left. */
export function drawNumberedFrame(number: number, background: readonly number[] = [0, 0, 0]): Uint8Array {
  const frame = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let y = 0, offset = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++, offset += 4) {
      const isOn = ((number >> Math.floor((x * BITS) / WIDTH)) & 1) === 1;
      const color = y >= HEIGHT / 2 ? background : isOn ? [255, 255, 255] : [0, 0, 0];
      frame.set([...color, 255], offset);
    }
  }
  return frame;
}

export async function* drawNumberedFrames(count: number, background?: readonly number[]) {
  for (let number = 0; number < count; number++) yield drawNumberedFrame(number, background);
}

/** Creates the video of an encode request from frames in the size of numbered frames. */
export const createVideo = (
  frames: AsyncIterable<Uint8Array>,
  fps: number,
  pixels: PixelFormat = 'rgba',
) => ({
  width: WIDTH,
  height: HEIGHT,
  fps,
  pixels,
  frames,
});

/** Decodes RGBA frames of a clip. */
export async function readFrames(
  backend: Backend,
  clip: Clip,
  request: Omit<FramesRequest, 'pixels'>,
): Promise<readonly Buffer[]> {
  const frames: Buffer[] = [];
  const { signal } = new AbortController();
  for await (const frame of decodeFrames(backend, clip, { ...request, pixels: 'rgba' }, signal))
    frames.push(frame);
  return frames;
}

/** Reads the number that an RGBA frame shows, at any size. */
export function readNumber(rgba: Uint8Array, width = WIDTH, height = HEIGHT): number {
  let number = 0;
  for (let bit = 0; bit < BITS; bit++) {
    const x = Math.floor(((bit + 0.5) * width) / BITS);
    const y = Math.floor(height / 4);
    if ((rgba[(y * width + x) * 4 + 1] ?? 0) > 127) number |= 1 << bit;
  }
  return number;
}

export const getPixel = (rgba: Uint8Array, x: number, y: number, width = WIDTH): number[] => [
  ...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 3),
];

/** Creates stereo sound: a tone on the left and a lower tone on the right, which start at `startSeconds`. */
export async function* generateTone(seconds: number, startSeconds = 0, blockFrames = 4800) {
  const total = Math.round(seconds * SAMPLE_RATE);
  for (let from = 0; from < total; from += blockFrames) {
    const frames = Math.min(blockFrames, total - from);
    const block = new Float32Array(frames * CHANNELS);
    for (let i = 0; i < frames; i++) {
      const t = (from + i) / SAMPLE_RATE;
      if (t < startSeconds) continue;
      block[i * 2] = 0.5 * Math.sin(2 * Math.PI * 880 * t);
      block[i * 2 + 1] = 0.25 * Math.sin(2 * Math.PI * 440 * t);
    }
    yield block;
  }
}

export async function collectSound(blocks: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const collected: Float32Array[] = [];
  for await (const block of blocks) collected.push(block);
  const out = new Float32Array(collected.reduce((sum, block) => sum + block.length, 0));
  let offset = 0;
  for (const block of collected) {
    out.set(block, offset);
    offset += block.length;
  }
  return out;
}

/** Returns the time in seconds at which the left channel becomes loud; NaN if it never does. */
export function measureOnsetSeconds(sound: Float32Array): number {
  for (let i = 0; i < sound.length; i += CHANNELS) {
    if (Math.abs(sound[i] as number) > 0.1) return i / CHANNELS / SAMPLE_RATE;
  }
  return Number.NaN;
}

/** Returns the peak amplitude of a channel between two times. */
export function measurePeak(sound: Float32Array, channel: 0 | 1, from: number, to: number): number {
  let max = 0;
  for (let i = Math.round(from * SAMPLE_RATE); i < Math.round(to * SAMPLE_RATE); i++) {
    max = Math.max(max, Math.abs(sound[i * CHANNELS + channel] ?? 0));
  }
  return max;
}

/** Returns the root mean square of the difference between the left channels of two sounds, until the shorter ends. */
export function measureDifference(a: Float32Array, b: Float32Array, fromSeconds = 0): number {
  const [from, to] = [Math.round(fromSeconds * SAMPLE_RATE) * 2, Math.min(a.length, b.length)];
  let sum = 0;
  for (let i = from; i < to; i += 2) sum += ((a[i] as number) - (b[i] as number)) ** 2;
  return Math.sqrt(sum / ((to - from) / 2));
}
