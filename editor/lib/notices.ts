// Reads the user's notices, and keeps the number of unread notices up to date.

import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { UnreadNotices } from '../../sdk/src/schemas.ts';
import { api } from './api.ts';
import { openEventStream } from './event-stream.ts';

const PATH = '/notices';
const UNREAD_KEY = [PATH, 'unread'] as const;
const LIST_KEY = [PATH, 'list'] as const;
const MAX_SHOWN_NOTICES = 20;

/** Reads the newest notices. */
export const useNotices = () =>
  useQuery({
    queryKey: LIST_KEY,
    queryFn: ({ signal }) => api.get(PATH, { query: { limit: MAX_SHOWN_NOTICES }, signal }),
    staleTime: 0,
  });

/** Marks the notices with the ids, or all notices, as read. */
export async function markNoticesAsRead(
  client: QueryClient,
  notices: { ids: readonly string[] } | { all: true },
) {
  const countUpdates = (): number | undefined => client.getQueryState(UNREAD_KEY)?.dataUpdateCount;
  const updatesBefore = countUpdates();
  const { unread } = await api.post(`${PATH}/read`, notices);
  // A number that the stream sent meanwhile may be newer. If it is older, the stream sends another one.
  if (countUpdates() === updatesBefore) client.setQueryData(UNREAD_KEY, unread);
  await client.invalidateQueries({ queryKey: LIST_KEY });
}

/** Returns the number of unread notices, as far as the header has received it. */
export const useUnreadCount = (): number =>
  useQuery<number>({ queryKey: UNREAD_KEY, enabled: false }).data ?? 0;

/**
 * Returns the number of unread notices. The event stream is open only while the page is visible, because browsers allow
 * few connections to a service over HTTP/1.1.
 */
export function useUnreadNotices(): number {
  const client = useQueryClient();
  const { data = 0 } = useQuery<number>({ queryKey: UNREAD_KEY, enabled: false });
  useEffect(() => {
    let disconnect: (() => void) | undefined;
    const connectIfVisible = (): void => {
      disconnect?.();
      disconnect =
        document.visibilityState === 'visible'
          ? openEventStream(`${PATH}/events`, { events: { unread: onUnread } })
          : undefined;
    };
    const onUnread = (data: unknown): void => {
      client.setQueryData(UNREAD_KEY, (data as UnreadNotices).unread);
      void client.invalidateQueries({ queryKey: LIST_KEY });
    };
    connectIfVisible();
    document.addEventListener('visibilitychange', connectIfVisible);
    return () => {
      document.removeEventListener('visibilitychange', connectIfVisible);
      disconnect?.();
    };
  }, [client]);
  return data;
}
