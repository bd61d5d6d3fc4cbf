// Stills of a video while it is edited: drawn some time after the last change, and kept nowhere.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../lib/api.ts';

const PAUSE_MS = 500;
/** A still is a data URL in this browser's memory: old ones go soon. */
const KEPT_MS = 20_000;

export interface Still {
  readonly frames: readonly { readonly frame: number; readonly url: string }[];
  readonly fps: number;
  readonly durationInFrames: number;
  readonly warnings: readonly string[];
}

export interface StillOrder {
  /** What the preview is made of; undefined: there is nothing to draw yet. */
  readonly source: object | undefined;
  /** In seconds; undefined: the middle. */
  readonly time: number | undefined;
  readonly scale: number;
}

/** A change while one is drawn takes the request back. */
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
