// Ends slow senders that hold a place for which others wait, such as one in a limiter.
import { AppError } from './errors.ts';

/** What the sender must reach in the first window. A slow phone sends more. */
const MIN_BYTES_PER_SECOND = 16_384;
/** The required pace doubles in each window up to this one, so that no sender holds a place for long while others wait. */
const MAX_BYTES_PER_SECOND = 1_048_576;

export interface PaceOptions {
  /** The time over which the pace is measured. */
  readonly windowMs: number;
  /** Returns whether others wait who have fewer places than the sender. Only then must the sender be fast. */
  readonly mustYield: () => boolean;
}

/** Creates the error 408 for a sender that was too slow. */
const createTooSlowError = (): AppError =>
  new AppError(
    'request_timeout',
    'The body arrived too slowly while others waited to send theirs. Send it again later, or over a faster connection.',
    { headers: { connection: 'close' } },
  );

/**
 * Calls `onSlow` once if a sender sent too few bytes in a window while others waited. `getBytes` returns the bytes that
 * have arrived, or undefined while the receiver, not the sender, is the slower one. Returns a function that ends the watch.
 */
export function watchPace(
  { windowMs, mustYield }: PaceOptions,
  getBytes: () => number | undefined,
  onSlow: (err: AppError) => void,
): () => void {
  let minPerSecond = MIN_BYTES_PER_SECOND;
  let bytesBefore = getBytes() ?? 0;
  const timer = setInterval(() => {
    const bytes = getBytes();
    const isSlow = bytes !== undefined && bytes - bytesBefore < (minPerSecond * windowMs) / 1000;
    bytesBefore = bytes ?? bytesBefore;
    minPerSecond = Math.min(2 * minPerSecond, MAX_BYTES_PER_SECOND);
    if (!isSlow || !mustYield()) return;
    clearInterval(timer);
    onSlow(createTooSlowError());
  }, windowMs);
  return () => clearInterval(timer);
}

/** Yields the chunks of a sender. Throws 408 if they arrive too slowly while others wait. */
export async function* requirePace(
  source: AsyncIterable<Uint8Array>,
  options: PaceOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = source[Symbol.asyncIterator]();
  const tooSlow = Promise.withResolvers<never>();
  tooSlow.promise.catch(() => undefined);
  let bytes = 0;
  let isWaiting = false;
  const stop = watchPace(options, () => (isWaiting ? bytes : undefined), tooSlow.reject);
  try {
    for (;;) {
      isWaiting = true;
      const next = await Promise.race([chunks.next(), tooSlow.promise]);
      isWaiting = false;
      if (next.done === true) return;
      bytes += next.value.length;
      yield next.value;
    }
  } finally {
    stop();
    // Not awaited: an iterator that waits for the sender returns only after the next chunk.
    chunks.return?.()?.catch(() => undefined);
  }
}
