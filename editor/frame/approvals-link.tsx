// Renders the number of approvals that wait for the user, as a link to them. Renders nothing if there are none.
import CircleCheck from 'icon:circle-check';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { approvalMessages as messages } from '../approval-messages.ts';
import { Tooltip } from '../kit/tooltip.tsx';
import { VisuallyHidden } from '../kit/visually-hidden.tsx';
import { api } from '../lib/api.ts';
import { useUnreadCount } from '../lib/notices.ts';
import styles from './header.module.css';

/** More are shown as `9+`. */
const MAX_COUNT = 9;

export function ApprovalsLink() {
  // A new approval comes with a notice.
  const unread = useUnreadCount();
  const { data } = useQuery({
    queryKey: ['/approvals', 'count', unread],
    queryFn: ({ signal }) => api.get('/approvals', { query: { limit: MAX_COUNT + 1, brief: true }, signal }),
    placeholderData: before => before,
  });
  const length = data?.data.length ?? 0;
  if (length === 0) return null;
  const count = length > MAX_COUNT ? `${MAX_COUNT}+` : String(length);
  return (
    <Tooltip text={messages.header(count)}>
      <Link href="/approvals" className={styles.invitations}>
        <CircleCheck aria-hidden />
        <span aria-hidden>{count}</span>
        <VisuallyHidden>{messages.header(count)}</VisuallyHidden>
      </Link>
    </Tooltip>
  );
}
