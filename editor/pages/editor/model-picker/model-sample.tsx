// Renders the sample of a model: its latest result in this browser, or one of its family, or else the name of the family.
import { useState } from 'react';
import type { CatalogEntry } from '../../../../src/graph/catalog.ts';
import { findResultImage } from '../add-node/palette-storage.ts';
import styles from './model-picker.module.css';

interface ModelSampleProps {
  readonly model: CatalogEntry;
  /** The models by `getSampleKey`. */
  readonly relatives: ReadonlyMap<string, readonly CatalogEntry[]>;
}

/** Models with the same key make similar results. */
export const getSampleKey = ({ family, outputs }: CatalogEntry): string => `${outputs[0]?.type} ${family}`;

export function ModelSample({ model, relatives }: ModelSampleProps) {
  const [url] = useState(() => findSample(model, relatives.get(getSampleKey(model)) ?? []));
  const [isBroken, setBroken] = useState(false);
  const { family = model.label } = model;
  if (url === undefined || isBroken)
    return (
      <span className={styles.tile} aria-hidden>
        {family}
      </span>
    );
  return (
    <span className={styles.sample}>
      {/* If the file was deleted or is unreachable, the name replaces it. */}
      <img src={url} alt="" loading="lazy" decoding="async" onError={() => setBroken(true)} />
    </span>
  );
}

const findSample = (model: CatalogEntry, relatives: readonly CatalogEntry[]): string | undefined =>
  [model, ...relatives].map(({ nodeType }) => findResultImage(nodeType)).find(url => url !== undefined);
