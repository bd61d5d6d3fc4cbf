// Requests preview frames of a video from the service, after a pause in editing.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Preview } from '../../../../sdk/src/schemas.ts';
import { api } from '../../../lib/api.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';
import type { PreviewValues } from './preview-values.ts';

const DEBOUNCE_MS = 500;
/** The cache time is short, because the frames are data URLs in memory. */
const CACHE_MS = 20_000;

export interface PreviewOptions {
  /** The scene graph or template to render. Undefined for no preview. */
  readonly source: object | undefined;
  /** The values of connected inputs, by port. */
  readonly values: PreviewValues;
  /** Time of the frame in seconds. Undefined for the middle of the video. */
  readonly time: number | undefined;
  readonly scale: number;
}

/** Returns the preview, after an error the last one. A change aborts the request in progress. */
export function usePreview(options: PreviewOptions) {
  const debounced = useDebounced(options, DEBOUNCE_MS);
  const last = useRef<Preview['data']>(undefined);
  const { data, error, isFetching } = useQuery({
    queryKey: ['/render/renderer/preview', debounced],
    queryFn: ({ signal }) => requestPreview(debounced, signal),
    enabled: debounced.source !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: CACHE_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (data !== undefined) last.current = data;
  return { preview: data ?? last.current, error, isFetching };
}

async function requestPreview({ source, values, time, scale }: PreviewOptions, signal: AbortSignal) {
  const timeSeconds = time === undefined ? {} : { timeSeconds: time };
  const body = { ...source, values, format: 'webp', scale, keep: false, ...timeSeconds };
  const { data } = await api.post<Preview>('/render/renderer/preview', body, {
    signal,
    repeatable: true,
  });
  return data;
}
