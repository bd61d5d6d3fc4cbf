// Renders the image of a node type in the palette: its latest result in this browser, an example result of such models, or
// an icon of its ports. The image is decorative, because the option has a text label.
import { useQuery } from '@tanstack/react-query';
import { memo, useMemo, useState } from 'react';
import { toTypeColor } from '../../../canvas/colors.ts';
import { CategoryIcon } from '../../../canvas/icons.tsx';
import { drawNodeIcon } from '../../../canvas/node-icon.ts';
import { api } from '../../../lib/api.ts';
import styles from './add-node.module.css';
import type { PaletteEntry } from './add-node.tsx';
import { findExampleTemplate } from './example-template.ts';
import { findResultImage } from './palette-storage.ts';

export const ChoiceImage = memo(function ChoiceImageContent({ entry }: { readonly entry: PaletteEntry }) {
  const [result] = useState(() => findResultImage(entry.nodeType));
  const [failed, setFailed] = useState<readonly string[]>([]);
  const url = [result, entry.component?.poster, useExampleCard(entry)].find(
    url => url !== undefined && !failed.includes(url),
  );
  const { paths } = useMemo(() => drawNodeIcon(entry), [entry]);
  if (url !== undefined)
    return (
      <span className={styles.picture}>
        {/* If the file was deleted or is unreachable, the next choice replaces it. */}
        <img src={url} alt="" loading="lazy" decoding="async" onError={() => setFailed([...failed, url])} />
      </span>
    );
  if (entry.component !== undefined)
    return (
      <span className={styles.picture}>
        <CategoryIcon category="component" size={20} />
      </span>
    );
  return (
    <span className={styles.picture}>
      <svg viewBox="0 0 72 40" aria-hidden>
        {paths.map(({ d, type, isFilled }) => (
          <path
            key={d}
            d={d}
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

const CARDS = {
  queryKey: ['/templates', 'cards'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const { data } = await api.get('/templates', {
      query: { limit: 200 },
      signal,
    });
    return new Map(data.map(({ id, card }) => [id, card]));
  },
  staleTime: Number.POSITIVE_INFINITY,
};

/** Returns the image URL of the template's card, or undefined if it is not loaded or the service hides the template. */
function useExampleCard(entry: PaletteEntry): string | undefined {
  const template = findExampleTemplate(entry);
  const { data } = useQuery({ ...CARDS, enabled: template !== undefined });
  return data?.get(`tpl_${template}`) ?? undefined;
}
