// Applies volume and fades to streams of stereo sound and mixes them, block by block.
import { CHANNELS, SAMPLE_RATE } from './job.ts';

export type AudioStream = AsyncIterable<Float32Array>;

/** Multiplies by `volume`, fading in over the first `fadeIn` seconds and out over the last `fadeOut` of `seconds`. */
export async function* fitAudio(
  sound: AudioStream,
  { volume, fadeIn, fadeOut, seconds }: Readonly<Record<'volume' | 'fadeIn' | 'fadeOut' | 'seconds', number>>,
): AsyncGenerator<Float32Array> {
  let frame = 0;
  for await (const block of sound) {
    const out = new Float32Array(block.length);
    for (let i = 0; i < block.length; i += CHANNELS, frame++) {
      const at = frame / SAMPLE_RATE;
      const up = fadeIn > 0 ? Math.min(1, at / fadeIn) : 1;
      const down = fadeOut > 0 ? Math.min(1, Math.max(0, (seconds - at) / fadeOut)) : 1;
      const gain = volume * up * down;
      out[i] = gain * (block[i] as number);
      out[i + 1] = gain * (block[i + 1] as number);
    }
    yield out;
  }
}

const BLOCK_SAMPLES = 4800 * CHANNELS;
/** Above this level peaks are compressed instead of clipped. */
const KNEE = 0.8;

/** The sum of all sounds, as long as the longest; peaks are compressed to stay below 1. */
export async function* mix(sounds: readonly AudioStream[]): AsyncGenerator<Float32Array> {
  const readers = sounds.map(pullFrom);
  try {
    while (true) {
      const parts = await Promise.all(readers.map(read => read.next(BLOCK_SAMPLES)));
      const length = Math.max(0, ...parts.map(part => part.length));
      if (length === 0) return;
      const out = new Float32Array(length);
      for (const part of parts) {
        for (let i = 0; i < part.length; i++) out[i] = (out[i] as number) + (part[i] as number);
      }
      for (let i = 0; i < length; i++) out[i] = limit(out[i] as number);
      yield out;
    }
  } finally {
    await Promise.all(readers.map(read => read.end()));
  }
}

/** Compresses one value into -1 to 1; unchanged up to the knee. */
export function limit(value: number): number {
  const size = Math.abs(value);
  if (size <= KNEE) return value;
  return Math.sign(value) * (KNEE + (1 - KNEE) * Math.tanh((size - KNEE) / (1 - KNEE)));
}

export interface Puller {
  /** Returns the requested number of samples, fewer only at the end. */
  next(count: number): Promise<Float32Array>;
  end(): Promise<void>;
}

/** Regroups sound into blocks of the requested size. */
export function pullFrom(sound: AudioStream): Puller {
  const blocks = sound[Symbol.asyncIterator]();
  let held: Float32Array = new Float32Array(0);
  return {
    async next(count) {
      const out = new Float32Array(count);
      for (let filled = 0; filled < count; ) {
        if (held.length === 0) {
          const { value, done } = await blocks.next();
          if (done === true) return out.subarray(0, filled);
          held = value;
        }
        const part = held.subarray(0, count - filled);
        out.set(part, filled);
        held = held.subarray(part.length);
        filled += part.length;
      }
      return out;
    },
    end: async () => void (await blocks.return?.()),
  };
}
