// Renders the apps that the user can open as cards, with the runs and credits of the last 30 days for their editors.
import AppWindow from 'icon:app-window';
import type { AppListItem } from '../../../sdk/src/schemas.ts';
import { Badge } from '../../kit/badge.tsx';
import { ButtonAnchor, ButtonLink } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';

export function Page() {
  const list = useList<AppListItem>('/apps', { limit: 50 });
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
  const { slug, url, title, description, audience, isEnabled, workflowId, runs, credits } = app;
  return (
    <li className={styles.card} aria-label={title}>
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
