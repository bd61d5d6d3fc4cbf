// A file at full size, with what is known of it, where it is used, and the way to delete it.
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MediaItem } from '../../../sdk/src/schemas.ts';
import { Button } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { sentenceOf } from '../../kit/failure.tsx';
import { MediaView } from '../../kit/media-view.tsx';
import { Ago } from '../../kit/time.tsx';
import { api } from '../../lib/api.ts';
import { useDone } from '../../lib/done.ts';
import { formatBytes, formatDuration } from '../../lib/format.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from '../../messages.ts';
import { texts } from './messages.ts';
import styles from './page.module.css';

interface Use {
  readonly id: string;
  readonly name: string;
}

interface DetailsProps {
  readonly item: MediaItem;
  readonly onClose: () => void;
}

export function DetailsDialog({ item, onClose }: DetailsProps) {
  const [isRemoving, setRemoving] = useState(false);
  const { mediaId, url, name, contentType } = item;
  const { data: uses } = useQuery({
    queryKey: ['/workflows', { mediaId }],
    queryFn: ({ signal }) => api.get<readonly Use[]>('/workflows', { query: { mediaId }, signal }),
  });
  if (isRemoving) return <RemoveDialog item={item} uses={uses ?? []} onClose={onClose} />;
  return (
    <Dialog
      title={name}
      onClose={onClose}
      actions={
        <Button look="danger" onClick={() => setRemoving(true)}>
          {texts.remove}
        </Button>
      }
    >
      <MediaView url={url} contentType={contentType} label={name} />
      <Facts item={item} />
      <p className={styles.address}>
        <a href={url} target="_blank" rel="noreferrer">
          {texts.open}
        </a>
        <CopyButton text={url} label={texts.copyAddress} />
      </p>
      <h3>{texts.uses}</h3>
      {uses !== undefined && (uses.length > 0 ? <Uses uses={uses} /> : <p>{texts.noUses}</p>)}
    </Dialog>
  );
}

function Facts({ item }: { readonly item: MediaItem }) {
  const { contentType, bytes, width, height, duration, createdAt, mediaId } = item;
  const { facts } = texts;
  const rows: readonly (readonly [string, React.ReactNode])[] = [
    [facts.kind, contentType],
    [facts.size, formatBytes(bytes)],
    ...(width === null || height === null ? [] : [[facts.pixels, texts.pixels(width, height)] as const]),
    ...(duration === null ? [] : [[facts.length, formatDuration(duration * 1000)] as const]),
    [facts.added, <Ago key="time" time={createdAt} />],
    [facts.id, <code key="id">{mediaId}</code>],
  ];
  return (
    <dl className={styles.facts}>
      {rows.map(([title, fact]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}

function Uses({ uses }: { readonly uses: readonly Use[] }) {
  return (
    <ul className={styles.uses}>
      {uses.map(({ id, name }) => (
        <li key={id}>
          <a href={`/flow/${id}`}>{name}</a>
        </li>
      ))}
    </ul>
  );
}

/** A file that is deleted does not come back: it is asked for, with the workflows that name it. */
function RemoveDialog({ item, uses, onClose }: DetailsProps & { readonly uses: readonly Use[] }) {
  const { name, mediaId } = item;
  const done = useDone();
  const remove = useMutation({
    mutationFn: () => api.delete(`/media/${mediaId}`, { query: { force: true } }),
    onSuccess: () => {
      onClose();
      return done(texts.removed(name), ['/media']);
    },
    onError: error => showToast(sentenceOf(error), { tone: 'failed' }),
  });
  return (
    <Dialog
      title={texts.removeTitle(name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{messages.common.cancel}</Button>
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            {texts.remove}
          </Button>
        </>
      }
    >
      <p>{texts.removeText}</p>
      {uses.length > 0 && (
        <>
          <p>{texts.removeUsed}</p>
          <Uses uses={uses} />
        </>
      )}
    </Dialog>
  );
}
