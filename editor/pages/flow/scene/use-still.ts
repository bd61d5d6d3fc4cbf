// Renders video frames while editing. Waits for a pause after the last change.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../lib/api.ts';

const PAUSE_MS = 500;
/** Frames are data URLs in memory, so they are dropped soon. */
const KEPT_MS = 20_000;

export interface Still {
  readonly frames: readonly { readonly frame: number; readonly url: string }[];
  readonly fps: number;
  readonly durationInFrames: number;
  readonly warnings: readonly string[];
}

export interface StillOrder {
  /** The scene graph to render; undefined: nothing yet. */
  readonly source: object | undefined;
  /** In seconds; undefined: the middle. */
  readonly time: number | undefined;
  readonly scale: number;
}

/** A change aborts the request in progress. */
export function useStill({ source, time, scale }: StillOrder) {
  const settled = useSettled({ source, time, scale });
  const { data, error, isFetching } = useQuery({
    queryKey: ['/render/renderer/preview', settled],
    queryFn: ({ signal }) => drawStill(settled, signal),
    enabled: settled.source !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return { still: data, error, isFetching };
}

async function drawStill({ source, time, scale }: StillOrder, signal: AbortSignal): Promise<Still> {
  const timeSeconds = time === undefined ? {} : { timeSeconds: time };
  const body = { ...source, format: 'webp', scale, keep: false, ...timeSeconds };
  const { data } = await api.post<{ readonly data: Still }>('/render/renderer/preview', body, {
    signal,
    repeatable: true,
  });
  return data;
}

/** Returns the value once it has been stable for a while. */
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
