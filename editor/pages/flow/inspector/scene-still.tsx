// A still of the video that a renderer node would make, drawn anew after its settings change, at a time along a slider.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { GraphNode, JsonObject } from '../../../../src/graph/types.ts';
import { sentenceOf } from '../../../kit/failure.tsx';
import { MediaView } from '../../../kit/media-view.tsx';
import { Spinner } from '../../../kit/spinner.tsx';
import { api } from '../../../lib/api.ts';
import { messages } from '../../../messages.ts';
import styles from './inspector.module.css';

const texts = messages.flow.still;
const PAUSE_MS = 900;
/** A still is looked at in a narrow column. */
const SCALE = 0.4;

interface Preview {
  readonly data: {
    readonly frames: readonly { readonly frame: number; readonly url: string }[];
    readonly fps: number;
    readonly durationInFrames: number;
    readonly warnings: readonly string[];
  };
}

export function SceneStill({ node }: { readonly node: GraphNode }) {
  const source = useSettled(sourceOf(node.data.config ?? {}));
  const [seconds, setSeconds] = useState<number>();
  const time = useSettled(seconds);
  const { data, error, isFetching } = useQuery({
    queryKey: ['/render/renderer/preview', source, time],
    queryFn: ({ signal }) =>
      api.post<Preview>(
        '/render/renderer/preview',
        { ...source, format: 'webp', scale: SCALE, ...(time === undefined ? {} : { timeSeconds: time }) },
        { signal, repeatable: true },
      ),
    enabled: source !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (source === undefined) return null;
  const [still] = data?.data.frames ?? [];
  const { fps = 30, durationInFrames = 0, warnings = [] } = data?.data ?? {};
  return (
    <figure className={styles.still} aria-label={texts.label} aria-busy={isFetching}>
      {error !== null && <p className={styles.note}>{sentenceOf(error)}</p>}
      {error === null && still && <MediaView url={still.url} contentType="image/webp" label={texts.label} />}
      {isFetching && <Spinner />}
      {durationInFrames > 1 && (
        <input
          type="range"
          className={styles.slider}
          aria-label={texts.time}
          min={0}
          max={(durationInFrames - 1) / fps}
          step={1 / fps}
          value={seconds ?? (still?.frame ?? 0) / fps}
          onChange={({ target }) => setSeconds(Number(target.value))}
        />
      )}
      {warnings.map(warning => (
        <p key={warning} className={styles.note}>
          {warning}
        </p>
      ))}
    </figure>
  );
}

/** What the preview is made of; undefined: there is nothing to draw yet. */
function sourceOf({ templateId, props }: JsonObject): object | undefined {
  if (typeof templateId === 'string' && templateId !== '')
    return { templateId, ...(isObject(props) ? { props } : {}) };
  return isObject(props) && props.sceneGraph !== undefined ? { sceneGraph: props.sceneGraph } : undefined;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value once it has been the same for a while. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same content is the same value
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
