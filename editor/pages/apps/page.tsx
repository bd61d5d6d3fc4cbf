// Renders the apps that the user can open as cards, with the runs and credits of the last 30 days for their editors.
import AppWindow from 'icon:app-window';
import type { AppListItem } from '../../../sdk/src/schemas.ts';
import { Badge } from '../../kit/badge.tsx';
import { ButtonAnchor, ButtonLink } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { Thumbnail } from '../../kit/media-view.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { PosterFrame } from '../../kit/poster.tsx';
import { formatNumber } from '../../lib/format.ts';
import styles from './page.module.css';

const messages = {
  title: 'Apps',
  emptyTitle: 'No apps yet',
  empty: 'An app is a form that runs a workflow. Open a workflow, choose Share, then App.',
  toWorkflows: 'Go to workflows',
  open: 'Open app',
  edit: 'Open workflow',
  copy: (title: string): string => `Copy link to ${title}`,
  disabled: 'Disabled',
  audiences: {
    workspace: 'People with access',
    signed_in: 'Everyone with an account',
    anyone: 'Anyone with the link',
  },
  use: (runs: number, credits: number): string =>
    `${runs === 1 ? '1 run' : `${formatNumber(runs)} runs`}, ${credits === 1 ? '1 credit' : `${formatNumber(credits)} credits`} in 30 days`,
} as const;

export function Page() {
  const list = useList('/apps', { limit: 50 });
  return (
    <>
      <PageHead title={messages.title} />
      <InfiniteList query={list} empty={<NoApps />}>
        {apps => (
          <ul className={styles.cards} aria-label={messages.title}>
            {apps.map(app => (
              <AppCard key={app.id} app={app} />
            ))}
          </ul>
        )}
      </InfiniteList>
    </>
  );
}

function NoApps() {
  return (
    <EmptyState
      icon={AppWindow}
      title={messages.emptyTitle}
      action={<ButtonLink href="/workflows">{messages.toWorkflows}</ButtonLink>}
    >
      {messages.empty}
    </EmptyState>
  );
}

function AppCard({ app }: { readonly app: AppListItem }) {
  const { slug, url, title, description, audience, isEnabled, workflowId, runs, credits, poster } = app;
  return (
    <li className={styles.card} aria-label={title}>
      <PosterFrame backdropUrl={poster ?? undefined} className={styles.poster}>
        {onSize =>
          poster ? <Thumbnail url={poster} contentType="image/*" onSize={onSize} /> : <AppWindow size={28} />
        }
      </PosterFrame>
      <h2>{title}</h2>
      {description !== null && <p className={styles.description}>{description}</p>}
      <p className={styles.badges}>
        <Badge>{messages.audiences[audience]}</Badge>
        {!isEnabled && <Badge tone="warning">{messages.disabled}</Badge>}
      </p>
      {runs !== undefined && credits !== undefined && (
        <p className={styles.use}>{messages.use(runs, credits)}</p>
      )}
      <div className={styles.buttons}>
        <ButtonAnchor href={`/a/${slug}`}>{messages.open}</ButtonAnchor>
        {workflowId !== undefined && <ButtonLink href={`/flow/${workflowId}`}>{messages.edit}</ButtonLink>}
        <CopyButton text={url} label={messages.copy(title)} />
      </div>
    </li>
  );
}
