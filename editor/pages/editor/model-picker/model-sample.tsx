// Renders the sample of a model: its latest result that this user may see, or one of its family, or else the name of the
// family.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { MediaItem } from '../../../../sdk/src/schemas.ts';
import type { CatalogEntry } from '../../../../src/graph/catalog.ts';
import { getMediaKind } from '../../../kit/media-kind.ts';
import { api } from '../../../lib/api.ts';
import { readResultImages } from '../add-node/palette-storage.ts';
import styles from './model-picker.module.css';

interface ModelSampleProps {
  readonly model: CatalogEntry;
  /** The models by `getSampleKey`. */
  readonly relatives: ReadonlyMap<string, readonly CatalogEntry[]>;
  readonly samples: ReadonlyMap<string, string>;
}

/** Models with the same key make similar results. */
export const getSampleKey = ({ nodeType, family = nodeType, outputs }: CatalogEntry): string =>
  `${outputs[0]?.type} ${family}`;

/** The newest results of the workspace, of which each model shows one. */
const SAMPLES = {
  queryKey: ['/media', 'samples'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const { data } = await api.get<{ data: readonly MediaItem[] }>('/media', {
      query: { origin: 'output', limit: 100 },
      signal,
    });
    const samples = new Map<string, string>();
    for (const { model, url, posterUrl, contentType } of data) {
      const image = getMediaKind({ url, contentType }) === 'image' ? url : posterUrl;
      if (model !== null && image !== null && !samples.has(model.nodeType))
        samples.set(model.nodeType, image);
    }
    return samples;
  },
  staleTime: 60_000,
};

/** Returns the pictures of results by node type: of the user's media, or else of this browser. */
export function useSamples(): ReadonlyMap<string, string> {
  const { data } = useQuery(SAMPLES);
  return useMemo(() => new Map([...readResultImages(), ...(data ?? [])]), [data]);
}

export function ModelSample({ model, relatives, samples }: ModelSampleProps) {
  const url = [model, ...(relatives.get(getSampleKey(model)) ?? [])]
    .map(({ nodeType }) => samples.get(nodeType))
    .find(url => url !== undefined);
  const [brokenUrl, setBrokenUrl] = useState<string>();
  const { family = model.label } = model;
  if (url === undefined || url === brokenUrl)
    return (
      <span className={styles.tile} aria-hidden>
        {family}
      </span>
    );
  return (
    <span className={styles.sample}>
      {/* If the file was deleted or is unreachable, the name replaces it. */}
      <img src={url} alt="" loading="lazy" decoding="async" onError={() => setBrokenUrl(url)} />
    </span>
  );
}
