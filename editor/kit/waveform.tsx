// Renders the waveform of an audio file above its player. A click seeks. Renders nothing if the file is too large or not
// readable.
import { type MouseEvent, type RefObject, useEffect, useState } from 'react';
import styles from './waveform.module.css';

const BARS = 96;
/** Decoding takes ten times as much memory as the file. */
const MAX_BYTES = 12_000_000;
const HEIGHT = 40;

type Player = RefObject<HTMLAudioElement | null>;

export interface WaveformProps {
  readonly url: string;
  /** A ref, not a child: a child would stop playing when this lazy component is loaded. */
  readonly player: Player;
}

export function Waveform({ url, player }: WaveformProps) {
  const peaks = usePeaks(player, url);
  const playedFraction = usePlayedFraction(player);
  const seek = (event: MouseEvent): void => {
    const audio = player.current;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    if (!audio || !Number.isFinite(audio.duration)) return;
    audio.currentTime = ((event.clientX - left) / width) * audio.duration;
  };
  if (peaks === undefined) return null;
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${BARS * 3} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
      onClick={seek}
    >
      {peaks.map((peak, index) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other identity
          key={index}
          x={index * 3}
          y={(HEIGHT - peak * HEIGHT) / 2}
          width={2}
          height={Math.max(1, peak * HEIGHT)}
          data-played={index / BARS < playedFraction || undefined}
        />
      ))}
    </svg>
  );
}

/** Reads the peaks of the file when the player scrolls into view. */
function usePeaks(player: Player, url: string): readonly number[] | undefined {
  const [peaks, setPeaks] = useState<readonly number[]>();
  useEffect(() => {
    const controller = new AbortController();
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting !== true) return;
      observer.disconnect();
      // Without a waveform, the player is still usable.
      readPeaks(url, controller.signal).then(setPeaks, () => undefined);
    });
    if (player.current !== null) observer.observe(player.current);
    return () => {
      controller.abort();
      observer.disconnect();
    };
  }, [player, url]);
  return peaks;
}

/** Returns the playback position as a fraction from 0 to 1. */
function usePlayedFraction(player: Player): number {
  const [fraction, setFraction] = useState(0);
  useEffect(() => {
    const audio = player.current;
    const updateFraction = (): void => setFraction(audio?.duration ? audio.currentTime / audio.duration : 0);
    audio?.addEventListener('timeupdate', updateFraction);
    return () => audio?.removeEventListener('timeupdate', updateFraction);
  }, [player]);
  return fraction;
}

async function readPeaks(url: string, signal: AbortSignal): Promise<readonly number[]> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error('The audio file cannot be read.');
  const bytes = await readBounded(response);
  // A low sample rate keeps minutes of audio at a few megabytes.
  const context = new OfflineAudioContext(1, 1, 8000);
  const audio = await context.decodeAudioData(bytes);
  return computePeaks(audio.getChannelData(0));
}

/** Reads the body. Throws if it exceeds MAX_BYTES, even if its content-length is wrong. */
async function readBounded({ body, headers }: Response): Promise<ArrayBuffer> {
  const reader = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = Number(headers.get('content-length') ?? 0);
  for (let read = 0; reader !== undefined && size <= MAX_BYTES; size = Math.max(size, read)) {
    const { value, done } = await reader.read();
    if (done) return new Blob(chunks).arrayBuffer();
    chunks.push(value);
    read += value.byteLength;
  }
  void reader?.cancel();
  throw new Error('The audio file is too large for a waveform.');
}

/** Returns the loudest sample of each bar, relative to the loudest sample of the file. */
function computePeaks(samples: Float32Array): readonly number[] {
  const length = Math.max(1, Math.ceil(samples.length / BARS));
  const peaks = Array.from({ length: BARS }, (_, bar) =>
    samples
      .subarray(bar * length, (bar + 1) * length)
      .reduce((max, value) => Math.max(max, Math.abs(value)), 0),
  );
  const loudest = Math.max(...peaks, 0.001);
  return peaks.map(peak => peak / loudest);
}
