// Renders banners about the network and the storage of the account.

import CloudOff from 'icon:cloud-off';
import TriangleAlert from 'icon:triangle-alert';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { Banner } from '../kit/banner.tsx';
import { formatBytes } from '../lib/format.ts';
import { useSession } from '../lib/session.ts';
import { messages } from '../messages.ts';

const RECHECK_MS = 4000;
const TIMEOUT_MS = 3000;

export function OfflineBanner() {
  const isOffline = useOffline();
  return (
    <div role="status">
      {isOffline && (
        <Banner kind="top" tone="warning" icon={CloudOff}>
          <span>{messages.failure.offline}</span>
        </Banner>
      )}
    </div>
  );
}

/**
 * Returns whether the service is unreachable. A browser without a network may still reach a service on its own machine.
 */
function useOffline(): boolean {
  const [isOffline, setOffline] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isUnmounted = false;
    const check = async (): Promise<void> => {
      clearTimeout(timer);
      const isReachable = navigator.onLine || (await canReachService());
      if (isUnmounted) return;
      // The browser may be online again by now.
      setOffline(!isReachable && !navigator.onLine);
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

const WARN_PERCENT = 80;

export function StorageBanner() {
  const { usedBytes, limitBytes } = useSession().storage;
  const percent = limitBytes === null ? 0 : Math.floor((100 * usedBytes) / Math.max(1, limitBytes));
  if (limitBytes === null || percent < WARN_PERCENT) return null;
  return (
    <Banner kind="top" role="status" icon={TriangleAlert}>
      <span>{messages.failure.storage(percent, formatBytes(usedBytes), formatBytes(limitBytes))}</span>
      <Link href="/media">{messages.failure.storageAction}</Link>
    </Banner>
  );
}
