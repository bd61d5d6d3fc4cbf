// Shows a notice while there is no network.

import CloudOff from 'icon:cloud-off';
import { useEffect, useState } from 'react';
import { messages } from '../messages.ts';
import styles from './offline-notice.module.css';

const RECHECK_MS = 4000;
const TIMEOUT_MS = 3000;

export function OfflineNotice() {
  const isOffline = useOffline();
  return (
    <div role="status">
      {isOffline && (
        <p className={styles.notice}>
          <CloudOff />
          {messages.failure.offline}
        </p>
      )}
    </div>
  );
}

/** Whether the service is unreachable. A browser without a network may still reach a service on its own machine. */
function useOffline(): boolean {
  const [isOffline, setOffline] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isUnmounted = false;
    const check = async (): Promise<void> => {
      clearTimeout(timer);
      const isReachable = navigator.onLine || (await canReachService());
      if (isUnmounted) return;
      setOffline(!isReachable);
      if (!navigator.onLine) timer = setTimeout(() => void check(), RECHECK_MS);
    };
    const listener = (): void => void check();
    listener();
    window.addEventListener('online', listener);
    window.addEventListener('offline', listener);
    return () => {
      isUnmounted = true;
      clearTimeout(timer);
      window.removeEventListener('online', listener);
      window.removeEventListener('offline', listener);
    };
  }, []);
  return isOffline;
}

function canReachService(): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return fetch('/healthz', { method: 'HEAD', cache: 'no-store', signal }).then(
    () => true,
    () => false,
  );
}
