// Applies volume and fades to streams of stereo audio and mixes them, block by block.
import { CHANNELS, SAMPLE_RATE } from './command.ts';

export type AudioStream = AsyncIterable<Float32Array>;

/** Applies the volume, a fade-in over the first `fadeIn` seconds, and a fade-out over the last `fadeOut` of `seconds`. */
export async function* applyGain(
  stream: AudioStream,
  { volume, fadeIn, fadeOut, seconds }: Readonly<Record<'volume' | 'fadeIn' | 'fadeOut' | 'seconds', number>>,
): AsyncGenerator<Float32Array> {
  let frame = 0;
  for await (const block of stream) {
    const out = new Float32Array(block.length);
    for (let i = 0; i < block.length; i += CHANNELS, frame++) {
      const elapsed = frame / SAMPLE_RATE;
      const fadeInGain = fadeIn > 0 ? Math.min(1, elapsed / fadeIn) : 1;
      const fadeOutGain = fadeOut > 0 ? Math.min(1, Math.max(0, (seconds - elapsed) / fadeOut)) : 1;
      const gain = volume * fadeInGain * fadeOutGain;
      out[i] = gain * (block[i] as number);
      out[i + 1] = gain * (block[i + 1] as number);
    }
    yield out;
  }
}

const BLOCK_SAMPLES = 4800 * CHANNELS;
/** Peaks above this level are compressed. */
const KNEE = 0.8;

/** Yields the sum of all streams until the longest ends. Compresses peaks to stay below 1. */
export async function* mix(streams: readonly AudioStream[]): AsyncGenerator<Float32Array> {
  const readers = streams.map(createSampleReader);
  try {
    while (true) {
      const parts = await Promise.all(readers.map(reader => reader.read(BLOCK_SAMPLES)));
      const length = Math.max(0, ...parts.map(part => part.length));
      if (length === 0) return;
      const out = new Float32Array(length);
      for (const part of parts) {
        for (let i = 0; i < part.length; i++) out[i] = (out[i] as number) + (part[i] as number);
      }
      for (let i = 0; i < length; i++) out[i] = compressPeak(out[i] as number);
      yield out;
    }
  } finally {
    await Promise.all(readers.map(reader => reader.end()));
  }
}

/** Compresses a value to the range from -1 to 1. Values up to the knee do not change. */
export function compressPeak(value: number): number {
  const level = Math.abs(value);
  if (level <= KNEE) return value;
  return Math.sign(value) * (KNEE + (1 - KNEE) * Math.tanh((level - KNEE) / (1 - KNEE)));
}

export interface SampleReader {
  /** Returns the requested number of samples, or fewer at the end. */
  read(count: number): Promise<Float32Array>;
  end(): Promise<void>;
}

/** Returns a reader of blocks of any requested size. */
export function createSampleReader(stream: AudioStream): SampleReader {
  const blocks = stream[Symbol.asyncIterator]();
  let pending: Float32Array = new Float32Array(0);
  return {
    async read(count) {
      const out = new Float32Array(count);
      for (let filled = 0; filled < count; ) {
        if (pending.length === 0) {
          const { value, done } = await blocks.next();
          if (done === true) return out.subarray(0, filled);
          pending = value;
        }
        const part = pending.subarray(0, count - filled);
        out.set(part, filled);
        pending = pending.subarray(part.length);
        filled += part.length;
      }
      return out;
    },
    end: async () => void (await blocks.return?.()),
  };
}
