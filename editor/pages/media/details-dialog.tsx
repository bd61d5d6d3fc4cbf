// Renders a media file with its details, where it is used, and a delete button.

import Star from 'icon:star';
import StarOff from 'icon:star-off';
import { useState } from 'react';
import { Link } from 'wouter';
import type { MediaItem, MediaUse } from '../../../sdk/src/schemas.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { useList } from '../../kit/infinite-list.tsx';
import { MediaView } from '../../kit/media-view.tsx';
import { QueryResult } from '../../kit/query-result.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { api } from '../../lib/api.ts';
import { formatBytes, formatDuration } from '../../lib/format.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { messages as sharedMessages } from '../../messages.ts';
import { ResultActions } from '../../session/results/result-actions.tsx';
import { getDownloadUrl } from './collections.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { RenameDialog } from './rename-dialog.tsx';

interface RemoveDialogProps {
  readonly item: MediaItem;
  readonly onClose: () => void;
}

export interface DetailsProps extends RemoveDialogProps {
  readonly canEdit: boolean;
  readonly onMark: () => void;
}

export function DetailsDialog({ item, canEdit, onMark, onClose }: DetailsProps) {
  const [next, setNext] = useState<'remove' | 'rename'>();
  const { mediaId, url, name, contentType, posterUrl, isFavorite } = item;
  const uses = useList(`/media/${mediaId}/uses`, { limit: 50 });
  if (next === 'rename')
    return (
      <RenameDialog name={item.name} list="/media" id={item.mediaId} onClose={() => setNext(undefined)} />
    );
  if (next === 'remove') {
    const dependentUses = uses.data?.filter(({ kind }) => kind !== 'execution') ?? [];
    return <RemoveDialog item={item} uses={dependentUses} onClose={onClose} />;
  }
  return (
    <Dialog
      title={name}
      onClose={onClose}
      actions={
        canEdit && (
          <>
            <Button variant="danger" onClick={() => setNext('remove')}>
              {messages.delete}
            </Button>
            <Button onClick={() => setNext('rename')}>{messages.rename}</Button>
          </>
        )
      }
    >
      <MediaView url={url} contentType={contentType} posterUrl={posterUrl} label={name} />
      <Facts item={item} />
      <p className={styles.address}>
        <a href={url} target="_blank" rel="noreferrer">
          {messages.open}
        </a>
        <ResultActions
          result={{ kind: 'media', url, contentType, seed: item.seed ?? undefined }}
          label={name}
          downloadUrl={getDownloadUrl({ mediaIds: mediaId })}
          executionId={item.workflow && item.executionId}
          workflowId={item.workflow?.id}
          canEdit={canEdit}
        />
        <Button size="s" variant="quiet" icon={isFavorite ? StarOff : Star} onClick={onMark}>
          {isFavorite ? messages.removeFromFavorites : messages.addToFavorites}
        </Button>
      </p>
      <h3>{messages.uses}</h3>
      <QueryResult query={uses}>{data => <Uses uses={data} />}</QueryResult>
      {uses.hasNextPage && (
        <Button variant="quiet" isBusy={uses.isFetchingNextPage} onClick={() => void uses.fetchNextPage()}>
          {sharedMessages.common.loadMore}
        </Button>
      )}
    </Dialog>
  );
}

function Facts({ item }: { readonly item: MediaItem }) {
  const { contentType, bytes, width, height, duration, createdAt, mediaId, workflow, executionId, prompt } =
    item;
  const { model, userName } = item;
  const { facts } = messages;
  const rows: readonly (readonly [title: string, fact: React.ReactNode])[] = [
    [facts.model, model?.label ?? null],
    [facts.seed, item.seed],
    [facts.person, userName],
    [facts.workflow, workflow && <Link href={`/flow/${workflow.id}`}>{workflow.name}</Link>],
    [facts.run, workflow && executionId && <Link href={`/executions/${executionId}`}>{messages.toRun}</Link>],
    [facts.kind, contentType],
    [facts.size, formatBytes(bytes)],
    [facts.pixels, width && height && messages.pixels(width, height)],
    [facts.length, duration && formatDuration(duration * 1000)],
    [facts.added, <RelativeTime key="time" time={createdAt} />],
    [facts.id, <code key="id">{mediaId}</code>],
  ];
  return (
    <dl className={styles.facts}>
      {prompt !== null && (
        <div className={styles.prompt}>
          <dt>{facts.prompt}</dt>
          <dd>
            {prompt} <CopyButton text={prompt} label={sharedMessages.common.copy} />
          </dd>
        </div>
      )}
      {rows.map(
        ([title, fact]) =>
          fact !== null && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{fact}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function Uses({ uses }: { readonly uses: readonly MediaUse[] }) {
  if (uses.length === 0) return <p>{messages.noUses}</p>;
  return (
    <ul className={styles.uses}>
      {uses.map(use => (
        <li key={`${use.kind} ${use.executionId ?? use.workflow.id}`}>
          <UseItem {...use} />
        </li>
      ))}
    </ul>
  );
}

/** Renders one use of the file: in a workflow, on a published page, or by a run. */
function UseItem({ kind, workflow, nodes, isTemplate, executionId, isMaker, createdAt }: MediaUse) {
  const labels = nodes.map(({ label }) => label).join(', ');
  if (kind === 'execution')
    return (
      <>
        <Link href={`/executions/${executionId}`}>{workflow.name}</Link>
        <span className={styles.muted}>
          {isMaker ? messages.madeBy : messages.usedBy} <RelativeTime time={createdAt} />
        </span>
      </>
    );
  const place =
    kind === 'workflow'
      ? messages.inWorkflow(labels)
      : isTemplate
        ? messages.inTemplate
        : messages.inPublication;
  return (
    <>
      <Link href={`/flow/${workflow.id}`}>{workflow.name}</Link>
      <span className={styles.muted}>{place}</span>
    </>
  );
}

/** Asks for confirmation, because deletion is permanent, and lists the affected workflows. */
function RemoveDialog({ item, uses, onClose }: RemoveDialogProps & { readonly uses: readonly MediaUse[] }) {
  const { name, mediaId } = item;
  const reloadAndToast = useReloadAndToast();
  return (
    <ConfirmDialog
      title={messages.deleteTitle(name)}
      details={
        uses.length > 0 && (
          <>
            <p>{messages.usedByWorkflows}</p>
            <Uses uses={uses} />
          </>
        )
      }
      action={messages.delete}
      onConfirm={async () => {
        await api.delete(`/media/${mediaId}`, { query: { force: true } });
        await reloadAndToast(messages.deleted(name), ['/media']);
      }}
      onClose={onClose}
    >
      {messages.deleteText}
    </ConfirmDialog>
  );
}
