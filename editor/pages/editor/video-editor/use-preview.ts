// Requests preview frames of a video from the service, after a pause in editing.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Preview } from '../../../../sdk/src/schemas.ts';
import { api } from '../../../lib/api.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';

const DEBOUNCE_MS = 500;
/** The cache time is short, because the frames are data URLs in memory. */
const CACHE_MS = 20_000;

export interface PreviewOptions {
  /** The scene graph or template to render. Undefined for no preview. */
  readonly source: object | undefined;
  /** Time of the frame in seconds. Undefined for the middle of the video. */
  readonly time: number | undefined;
  readonly scale: number;
}

/** Returns the preview. A change aborts the request in progress. */
export function usePreview({ source, time, scale }: PreviewOptions) {
  const debounced = useDebounced({ source, time, scale }, DEBOUNCE_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ['/render/renderer/preview', debounced],
    queryFn: ({ signal }) => requestPreview(debounced, signal),
    enabled: debounced.source !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: CACHE_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return { preview: data, error, isFetching };
}

async function requestPreview({ source, time, scale }: PreviewOptions, signal: AbortSignal) {
  const timeSeconds = time === undefined ? {} : { timeSeconds: time };
  const body = { ...source, format: 'webp', scale, keep: false, ...timeSeconds };
  const { data } = await api.post<Preview>('/render/renderer/preview', body, {
    signal,
    repeatable: true,
  });
  return data;
}
