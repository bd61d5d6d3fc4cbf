// Renders the settings that a card shows. The inspector shows all of them.
import styles from './card.module.css';
import { shownFields } from './card-parts.ts';
import type { CardData } from './model.ts';

export function CardFields({ data, height }: { readonly data: CardData; readonly height: number }) {
  const shown = shownFields(data, height);
  if (shown.length === 0) return null;
  return (
    <dl className={styles.fields}>
      {shown.map(({ field, height: rowHeight, text, isDefault }) => (
        <div key={field.id} style={{ height: rowHeight }}>
          <dt>{field.label}</dt>
          <dd data-default={isDefault || undefined}>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
