// Reads and ends the session of the signed-in user.
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Session } from '../../sdk/src/schemas.ts';
import { api } from './api.ts';
import { rememberUser } from './expired-session.ts';

export type { Session };
export type TeamRole = Session['workspace']['role'];

export const SESSION_KEY = ['session'] as const;

/** The session that the service embedded in the page, which saves a request; undefined if nobody is signed in. */
const EMBEDDED_SESSION = readEmbeddedSession();
const INITIAL_DATA = EMBEDDED_SESSION && {
  initialData: EMBEDDED_SESSION,
  initialDataUpdatedAt: performance.timeOrigin,
};

/** Queries the session. Fails with an ApiError with code `unauthorized` if nobody is signed in. */
export function useSessionQuery(): UseQueryResult<Session> {
  const query = useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => api.get('/auth/session', { signal }),
    staleTime: 30_000,
    ...INITIAL_DATA,
  });
  const email = query.data?.user.email;
  useEffect(() => {
    if (email !== undefined) rememberUser(email);
  }, [email]);
  return query;
}

/** Returns the session. Call this hook only in components for signed-in users. */
export function useSession(): Session {
  const { data } = useSessionQuery();
  if (data === undefined) throw new Error('useSession must be used while a user is signed in.');
  return data;
}

/** Signs out and clears all state of the session. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await api.post('/auth/sign-out');
    rememberUser(undefined);
    client.clear();
    // A full page load also clears all other state of the old session.
    location.assign('/');
  };
}

/** Returns the page to open after sign-in, limited to this service. */
export function getNextPath(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  const url = URL.canParse(next, location.origin) ? new URL(next, location.origin) : undefined;
  return url !== undefined && url.origin === location.origin && next.startsWith('/')
    ? `${url.pathname}${url.search}${url.hash}`
    : '/workflows';
}

function readEmbeddedSession(): Session | undefined {
  const text = document.getElementById('session')?.textContent;
  return text === undefined || text === null ? undefined : (JSON.parse(text) as Session);
}

/**
 * Returns the URL of the page where the user can add a key for the instance or for the active workspace, or undefined
 * if the user may do neither. If `provider` is set, the page opens the dialog of that provider.
 */
export function useProviderKeysHref(provider?: string): string | undefined {
  const { user, workspace } = useSession();
  const query = provider === undefined ? '' : `?add=${provider}`;
  if (user.isAdmin) return `/settings/providers${query}`;
  return workspace.role === 'OWNER' ? `/settings/provider-keys${query}` : undefined;
}
