// Renders the image of a node type in the palette: its latest result in this browser, or an icon derived from its
// ports. Decorative: the option has text.
import { memo, useMemo, useState } from 'react';
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { toTypeColor } from '../../canvas/colors.ts';
import { drawNodeIcon } from '../../canvas/node-icon.ts';
import styles from './add-node.module.css';
import { lastPictureOf } from './recent.ts';

export const ChoicePicture = memo(function ChoicePicture({ entry }: { readonly entry: CatalogEntry }) {
  const [url, setUrl] = useState(() => lastPictureOf(entry.nodeType));
  const { strokes } = useMemo(() => drawNodeIcon(entry), [entry]);
  if (url !== undefined)
    return (
      <span className={styles.picture}>
        {/* Deleted meanwhile, or in no reach: the drawing takes its place. */}
        <img src={url} alt="" loading="lazy" decoding="async" onError={() => setUrl(undefined)} />
      </span>
    );
  return (
    <span className={styles.picture}>
      <svg viewBox="0 0 72 40" aria-hidden>
        {strokes.map(({ path, type, isFilled }) => (
          <path
            key={path}
            d={path}
            fill={isFilled ? toTypeColor(type) : 'none'}
            stroke={toTypeColor(type)}
            strokeWidth={1.4}
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        ))}
      </svg>
    </span>
  );
});
