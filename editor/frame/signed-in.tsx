// Renders its content only for signed-in users. Redirects others to the sign-in page.
import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { Failure } from '../kit/failure.tsx';
import { Loading } from '../kit/spinner.tsx';
import { isSignedOut } from '../lib/api.ts';
import { useSessionQuery } from '../lib/session.ts';

export function SignedIn({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useSessionQuery();
  if (data !== undefined) return children;
  if (error === null) return <Loading />;
  if (isSignedOut(error)) {
    const { pathname, search, hash } = location;
    return <Redirect to={`/sign-in?next=${encodeURIComponent(pathname + search + hash)}`} replace />;
  }
  return <Failure error={error} onRetry={() => void refetch()} />;
}
