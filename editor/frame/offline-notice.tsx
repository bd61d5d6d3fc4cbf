// Says that there is no network, as long as there is none.

import CloudOff from 'icon:cloud-off';
import { useSyncExternalStore } from 'react';
import { messages } from '../messages.ts';
import styles from './offline-notice.module.css';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

export function OfflineNotice() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className={styles.notice}>
          <CloudOff />
          {messages.failure.offline}
        </p>
      )}
    </div>
  );
}
