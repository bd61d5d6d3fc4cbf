// Renders a value that waits for a decision: texts, media, numbers and JSON.
import type { LinkedApproval } from '../../../sdk/src/schemas.ts';
import { approvalMessages as messages } from '../../approval-messages.ts';
import { MediaView } from '../media-view.tsx';
import styles from './approval.module.css';

type Value = Pick<LinkedApproval, 'items' | 'truncated' | 'label'>;

export function ApprovalValue({ approval }: { readonly approval: Value }) {
  const { items, truncated, label } = approval;
  if (items.length === 0) return <p className={styles.muted}>{messages.nothing}</p>;
  return (
    <div className={styles.value}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items never change
        <Item key={index} item={item} label={label} />
      ))}
      {truncated && <p className={styles.muted}>{messages.truncated}</p>}
    </div>
  );
}

function Item({ item, label }: { readonly item: Value['items'][number]; readonly label: string }) {
  const { url, contentType, posterUrl, text, value } = item;
  if (url !== undefined)
    return (
      <div className={styles.media}>
        <MediaView
          url={url}
          label={label}
          {...(contentType === undefined ? {} : { contentType })}
          {...(posterUrl === undefined ? {} : { posterUrl })}
        />
      </div>
    );
  if (text !== undefined) return <p className={styles.text}>{text}</p>;
  return <pre className={styles.json}>{JSON.stringify(value, null, 2)}</pre>;
}

/** Returns the text of an editable value, which has one item. */
export function toEditText({ items }: Pick<LinkedApproval, 'items'>): string {
  const { text, value } = items[0] ?? {};
  return text ?? (value === undefined ? '' : JSON.stringify(value, null, 2));
}
