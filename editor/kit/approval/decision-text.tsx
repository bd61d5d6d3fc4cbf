// Renders a decision: who decided what, when, and the comment.
import type { Decision } from '../../../sdk/src/schemas.ts';
import { approvalMessages as messages } from '../../approval-messages.ts';
import { RelativeTime } from '../time.tsx';
import styles from './approval.module.css';

export function DecisionText({
  decision: { decision, by, comment, edited, at },
}: {
  readonly decision: Decision;
}) {
  const name = by.via === 'timeout' ? messages.timeout : (by.name ?? by.email ?? messages.somebody);
  return (
    <div className={styles.decision} data-decision={decision}>
      <p>
        {messages.decidedBy[decision](name)}
        {edited && `, ${messages.edited}`}
        {by.linkCreatedBy !== undefined && `, ${messages.linkByOwner}`}
        {at !== null && (
          <span className={styles.muted}>
            {' · '}
            <RelativeTime time={at} />
          </span>
        )}
      </p>
      {comment !== null && <blockquote className={styles.comment}>{comment}</blockquote>}
    </div>
  );
}
