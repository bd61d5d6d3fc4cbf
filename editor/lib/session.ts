// Reads and ends the session of the signed-in user.
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from './api.ts';
import { readEmbeddedData } from './embedded-data.ts';
import { rememberUser } from './expired-session.ts';

export interface Session {
  readonly user: {
    readonly userId: number;
    readonly email: string;
    readonly name: string;
    readonly isAdmin: boolean;
    readonly isAuthor: boolean;
    readonly scopes: readonly string[];
    readonly personalTeamId: string;
  };
  readonly workspace: { readonly teamId: string | null; readonly name: string; readonly role: TeamRole };
  readonly teams: readonly { readonly id: string; readonly name: string; readonly role: TeamRole }[];
  /** Number of pending team invitations. */
  readonly invitations: number;
  readonly plan: string;
  readonly credits: { readonly balance: number; readonly held: number };
  /** Of the account, in every workspace. null: no limit. */
  readonly storage: { readonly usedBytes: number; readonly limitBytes: number | null };
  readonly expiresAt: string;
}
export type TeamRole = 'OWNER' | 'EDITOR' | 'VIEWER';

export const SESSION_KEY = ['session'] as const;

/** The session as embedded in the page. */
const EMBEDDED = readEmbeddedData<Session>('session');
const GIVEN = EMBEDDED && { initialData: EMBEDDED, initialDataUpdatedAt: performance.timeOrigin };

/** The latest session. Its error is an ApiError with code `unauthorized` if nobody is signed in. */
export function useSessionQuery(): UseQueryResult<Session> {
  const query = useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => api.get<Session>('/auth/session', { signal }),
    staleTime: 30_000,
    ...GIVEN,
  });
  const email = query.data?.user.email;
  useEffect(() => {
    if (email !== undefined) rememberUser(email);
  }, [email]);
  return query;
}

/** The session, for components shown only to signed-in users. */
export function useSession(): Session {
  const { data } = useSessionQuery();
  if (data === undefined) throw new Error('There is no session here.');
  return data;
}

/** Signs out and clears all state of the session. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await api.post('/auth/sign-out');
    rememberUser(undefined);
    client.clear();
    // A full page load clears the state of the old session from memory.
    location.assign('/');
  };
}

/** Returns the page to open after sign-in, limited to this service. */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  const url = URL.canParse(next, location.origin) ? new URL(next, location.origin) : undefined;
  return url !== undefined && url.origin === location.origin && next.startsWith('/')
    ? `${url.pathname}${url.search}${url.hash}`
    : '/workflows';
}
