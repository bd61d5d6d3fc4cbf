// Renders the current page and what all pages share: header, banners, dialogs and toasts.

import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { Route as PageRoute, Redirect, Switch, useLocation } from 'wouter';
import { Failure } from '../kit/failure.tsx';
import { Loading } from '../kit/spinner.tsx';
import { Tooltips } from '../kit/tooltip.tsx';
import { isSignedOut } from '../lib/api.ts';
import { useFirstSteps } from '../lib/first-steps.ts';
import { lazyComponent } from '../lib/lazy-component.ts';
import { createQueryClient } from '../lib/queries.ts';
import { useSessionQuery } from '../lib/session.ts';
import { messages } from '../messages.ts';
import type { Route } from '../routes.ts';
import styles from './app.module.css';
import { OfflineBanner, StorageBanner } from './banners.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { NotFound } from './not-found.tsx';
import { type LazyPage, PAGES } from './pages.ts';
import { Toasts } from './toasts.tsx';

const queryClient = createQueryClient();
/** These parts load after the first paint. */
const ExpiredSessionDialog = lazyComponent(
  async () => (await import('./expired-session-dialog.tsx')).ExpiredSessionDialog,
);
const ReauthenticationDialog = lazyComponent(
  async () => (await import('./reauthentication-dialog.tsx')).ReauthenticationDialog,
);
const FirstSteps = lazyComponent(async () => (await import('./first-steps.tsx')).FirstSteps);

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <a className={styles.skip} href="#main">
        {messages.skipToContent}
      </a>
      <OfflineBanner />
      <Switch>
        {PAGES.map(page => (
          <PageRoute key={page.path} path={page.path}>
            <PageFrame {...page} />
          </PageRoute>
        ))}
        <PageRoute>
          <NotFound />
        </PageRoute>
      </Switch>
      <ExpiredSessionDialog />
      <ReauthenticationDialog />
      <Toasts />
      <Tooltips />
    </QueryClientProvider>
  );
}

function PageFrame({ getComponent, isFullWindow, for: audience }: Route & LazyPage) {
  const [Page] = useState(getComponent);
  const page = (
    <main id="main" tabIndex={-1} className={isFullWindow ? styles.full : styles.main}>
      <ErrorBoundary>
        <Suspense fallback={<Loading />}>
          <Page />
        </Suspense>
      </ErrorBoundary>
    </main>
  );
  if (audience === 'visitors') return page;
  return (
    <RequireSession>
      {!isFullWindow && <Header />}
      <StorageBanner />
      {page}
      {!isFullWindow && <FirstStepsIfOpen />}
    </RequireSession>
  );
}

/** Where users set up the second factor without which the service lets them do nothing else. */
const SECURITY_PATH = '/settings/security';

export function RequireSession({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useSessionQuery();
  const [path] = useLocation();
  if (data?.needsSecondFactor && path !== SECURITY_PATH) return <Redirect to={SECURITY_PATH} replace />;
  if (data !== undefined) return children;
  if (error === null) return <Loading />;
  if (isSignedOut(error)) {
    const { pathname, search, hash } = location;
    return <Redirect to={`/sign-in?next=${encodeURIComponent(pathname + search + hash)}`} replace />;
  }
  return <Failure error={error} onRetry={() => void refetch()} />;
}

function FirstStepsIfOpen() {
  return useFirstSteps(({ isOpen }) => isOpen) ? <FirstSteps /> : null;
}
