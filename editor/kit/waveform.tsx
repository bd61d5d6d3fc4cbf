// Renders the waveform of an audio file over its player; clicking seeks. Without a readable file of moderate size, only
// the player is shown.
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './waveform.module.css';

const BARS = 96;
/** Decoding takes ten times as much memory as the file. */
const MAX_BYTES = 12_000_000;
const HEIGHT = 40;

interface WaveformProps {
  readonly url: string;
  /** The audio element. */
  readonly children: ReactNode;
}

export function Waveform({ url, children }: WaveformProps) {
  const root = useRef<HTMLDivElement>(null);
  const peaks = usePeaks(root, url);
  const part = usePart(root);
  const go = (event: MouseEvent): void => {
    const audio = root.current?.querySelector('audio');
    const { left, width } = event.currentTarget.getBoundingClientRect();
    if (!audio || !Number.isFinite(audio.duration)) return;
    audio.currentTime = ((event.clientX - left) / width) * audio.duration;
  };
  return (
    <div ref={root} className={`${styles.sound} nodrag`}>
      {peaks !== undefined && (
        <svg
          className={styles.bars}
          viewBox={`0 0 ${BARS * 3} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden
          onClick={go}
        >
          {peaks.map((peak, index) => (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
              key={index}
              x={index * 3}
              y={(HEIGHT - peak * HEIGHT) / 2}
              width={2}
              height={Math.max(1, peak * HEIGHT)}
              data-played={index / BARS < part || undefined}
            />
          ))}
        </svg>
      )}
      {children}
    </div>
  );
}

type Root = React.RefObject<HTMLDivElement | null>;

/** Loads the file when it comes near the view. */
function usePeaks(root: Root, url: string): readonly number[] | undefined {
  const [peaks, setPeaks] = useState<readonly number[]>();
  useEffect(() => {
    const stop = new AbortController();
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting !== true) return;
      observer.disconnect();
      // On failure the player is still there.
      readPeaks(url, stop.signal).then(setPeaks, () => undefined);
    });
    if (root.current !== null) observer.observe(root.current);
    return () => {
      stop.abort();
      observer.disconnect();
    };
  }, [root, url]);
  return peaks;
}

/** The fraction that was played, from 0 to 1. */
function usePart(root: Root): number {
  const [part, setPart] = useState(0);
  useEffect(() => {
    const audio = root.current?.querySelector('audio');
    const show = (): void => setPart(audio?.duration ? audio.currentTime / audio.duration : 0);
    audio?.addEventListener('timeupdate', show);
    return () => audio?.removeEventListener('timeupdate', show);
  }, [root]);
  return part;
}

async function readPeaks(url: string, signal: AbortSignal): Promise<readonly number[]> {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error('This sound cannot be read.');
  const bytes = await readBounded(answer);
  // A low sample rate keeps minutes of audio at a few megabytes.
  const context = new OfflineAudioContext(1, 1, 8000);
  const sound = await context.decodeAudioData(bytes);
  return peaksOf(sound.getChannelData(0));
}

/** Reads the body up to the limit, whatever length is announced. Throws if it is too large. */
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
  throw new Error('This sound is too large to be drawn.');
}

/** Returns the loudest sample of each part, relative to the overall maximum. */
function peaksOf(samples: Float32Array): readonly number[] {
  const length = Math.max(1, Math.ceil(samples.length / BARS));
  const peaks = Array.from({ length: BARS }, (_, bar) =>
    samples
      .subarray(bar * length, (bar + 1) * length)
      .reduce((max, value) => Math.max(max, Math.abs(value)), 0),
  );
  const loudest = Math.max(...peaks, 0.001);
  return peaks.map(peak => peak / loudest);
}
