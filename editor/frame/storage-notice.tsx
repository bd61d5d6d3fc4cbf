// Warns that the storage of the account is nearly full, before uploads and results of runs are rejected.
import TriangleAlert from 'icon:triangle-alert';
import { Link } from 'wouter';
import { formatBytes } from '../lib/format.ts';
import { useSession } from '../lib/session.ts';
import { messages } from '../messages.ts';
import styles from './storage-notice.module.css';

const WARN_PERCENT = 80;

export function StorageNotice() {
  const { usedBytes, limitBytes } = useSession().storage;
  const percent = limitBytes === null ? 0 : Math.floor((100 * usedBytes) / Math.max(1, limitBytes));
  if (limitBytes === null || percent < WARN_PERCENT) return null;
  return (
    <p role="status" className={styles.notice} data-notice="">
      <TriangleAlert />
      <span>{messages.failure.storage(percent, formatBytes(usedBytes), formatBytes(limitBytes))}</span>
      <Link href="/media">{messages.failure.storageAction}</Link>
    </p>
  );
}
