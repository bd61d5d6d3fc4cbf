// Renders the scenes as a clip with sound. The clip shows the scenes as they were when its rendering started.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { RenderStatus } from '../../../../sdk/src/schemas.ts';
import type { JsonObject } from '../../../../src/graph/types.ts';
import { showError } from '../../../kit/failure.tsx';
import { api } from '../../../lib/api.ts';
import type { PreviewValues } from './preview-values.ts';

const POLL_MS = 500;
const ACTIVE_STATUSES: ReadonlySet<string | undefined> = new Set([undefined, 'QUEUED', 'RUNNING']);

export interface Clip {
  readonly start: () => void;
  readonly stop: () => void;
  /** From 0 to 1, or undefined if no clip is being rendered. */
  readonly progress: number | undefined;
  readonly url: string | undefined;
  readonly error: string | undefined;
}

/** Returns the clip of the scenes. An edit of the scenes ends the clip. */
export function useClip(graph: JsonObject, values: PreviewValues, scale: number): Clip {
  const path = '/render/renderer';
  const { mutate, reset, variables, data, isPending } = useMutation({
    mutationFn: (sceneGraph: JsonObject) =>
      api.post<{ readonly data: RenderStatus['data'] }>(`${path}/preview`, {
        sceneGraph,
        values,
        format: 'mp4',
        scale,
      }),
    onError: showError,
  });
  const isCurrent = variables === graph;
  const renderId = isCurrent ? data?.data.renderId : undefined;
  const { data: render } = useQuery({
    queryKey: [path, renderId],
    queryFn: async ({ signal }) => (await api.get(`${path}/${renderId}`, { signal })).data,
    enabled: renderId !== undefined,
    refetchInterval: ({ state }) => (ACTIVE_STATUSES.has(state.data?.status) ? POLL_MS : false),
  });
  const isRendering =
    isCurrent && (isPending || (renderId !== undefined && ACTIVE_STATUSES.has(render?.status)));
  const isUnfinished = useRef(false);
  useEffect(() => {
    isUnfinished.current = isRendering;
  }, [isRendering]);
  useEffect(() => {
    if (renderId === undefined) return undefined;
    return () => {
      if (isUnfinished.current) void api.post(`${path}/${renderId}/cancel`).catch(() => undefined);
    };
  }, [renderId]);
  return {
    start: () => mutate(graph),
    stop: reset,
    progress: isRendering ? (render?.progress ?? 0) : undefined,
    url: isCurrent ? (render?.url ?? undefined) : undefined,
    error: isCurrent ? render?.error?.message : undefined,
  };
}
