// Renders the image of a node type in the palette: its latest result in this browser, or an icon drawn from its ports.
// Decorative, because the option has a text label.
import { memo, useMemo, useState } from 'react';
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { toTypeColor } from '../../canvas/colors.ts';
import { drawNodeIcon } from '../../canvas/node-icon.ts';
import styles from './add-node.module.css';
import { findResultImage } from './palette-storage.ts';

export const ChoiceImage = memo(function ChoiceImageContent({ entry }: { readonly entry: CatalogEntry }) {
  const [url, setUrl] = useState(() => findResultImage(entry.nodeType));
  const { strokes } = useMemo(() => drawNodeIcon(entry), [entry]);
  if (url !== undefined)
    return (
      <span className={styles.picture}>
        {/* If the file was deleted or is unreachable, the icon replaces it. */}
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
