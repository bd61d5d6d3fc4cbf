// Renders the media library by day, with collections, search, filters, selection and uploads.

import Images from 'icon:images';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { DropOverlay } from '../../kit/drop-overlay.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { showError } from '../../kit/failure.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { api } from '../../lib/api.ts';
import { formatDay } from '../../lib/format.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { useSession } from '../../lib/session.ts';
import { useCollections } from '../../session/results/collections.ts';
import { Suggestions } from '../templates/suggestions.tsx';
import { CollectionActions, CollectionTabs, getDownloadUrl } from './collections.tsx';
import { AddToCollectionDialog, CompareDialog, DetailsDialog, RemoveSeveralDialog } from './dialogs.ts';
import { MediaFilterBar, useMediaFilters } from './filters.tsx';
import { MediaCard } from './media-card.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { SelectionBar } from './selection-bar.tsx';
import { UploadButton, UploadList } from './upload-list.tsx';
import { useFavorites } from './use-favorites.ts';
import { handleCardKey, useSelection } from './use-selection.ts';
import { useUploads } from './use-uploads.ts';

/** The open dialog. */
type MediaDialog =
  | { readonly kind: 'details'; readonly mediaId: string }
  | { readonly kind: 'compare' }
  | { readonly kind: 'add' | 'remove'; readonly mediaIds: readonly string[] };

export function Page() {
  const filters = useMediaFilters();
  const { shelf } = filters;
  const { workspace } = useSession();
  const canEdit = workspace.role !== 'VIEWER';
  const list = useList('/media', { limit: 60, origin: 'all', ...filters.query });
  const items = list.data ?? [];
  const { data: collections } = useCollections();
  const collection = collections?.data.find(({ id }) => id === shelf.collectionId);
  const uploads = useUploads();
  const selection = useSelection(items.map(({ mediaId }) => mediaId));
  const mark = useFavorites();
  const reloadAndToast = useReloadAndToast();
  const [dialog, setDialog] = useState<MediaDialog>();
  const openItem =
    dialog?.kind === 'details' ? items.find(({ mediaId }) => mediaId === dialog.mediaId) : undefined;
  const selectedIds = [...selection.ids];
  const [first, second, ...others] = items.filter(({ mediaId }) => selection.ids.has(mediaId));
  const pair = first && second && others.length === 0 ? ([first, second] as const) : undefined;
  const close = (): void => setDialog(undefined);
  const toggleFavorite = (mediaId: string): void => {
    const item = items.find(each => each.mediaId === mediaId);
    if (item !== undefined) mark([mediaId], !item.isFavorite);
  };
  const takeOut = async (): Promise<void> => {
    if (collection === undefined) return;
    await api.patch(`/collections/${collection.id}`, { removeMediaIds: selectedIds });
    selection.clear();
    await reloadAndToast(messages.removedFrom(selectedIds.length, collection.name), [
      '/media',
      '/collections',
    ]);
  };
  return (
    <>
      <PageHead title={messages.title}>
        {collection && (
          <CollectionActions
            collection={collection}
            canEdit={canEdit}
            onDeleted={() => filters.open({ collectionId: undefined, isFavorites: false })}
          />
        )}
        <UploadButton onFiles={uploads.add} />
      </PageHead>
      <CollectionTabs shelf={shelf} canEdit={canEdit} onOpen={filters.open} />
      <MediaFilterBar filters={filters} />
      <UploadList uploads={uploads.uploads} />
      {uploads.isDragging && <DropOverlay>{messages.dropHere}</DropOverlay>}
      <InfiniteList
        query={list}
        empty={
          filters.isFiltered ? (
            <NoMatch onShowAll={filters.clear} />
          ) : shelf.collectionId !== undefined ? (
            <EmptyState icon={Images} title={messages.emptyCollectionTitle}>
              {messages.emptyCollection}
            </EmptyState>
          ) : shelf.isFavorites ? (
            <EmptyState icon={Images} title={messages.noFavoritesTitle}>
              {messages.noFavorites}
            </EmptyState>
          ) : (
            <NoMedia onFiles={uploads.add} />
          )
        }
      >
        {items => (
          // The keys belong to the buttons inside.
          // biome-ignore lint/a11y/noStaticElementInteractions: this element only listens
          <div
            className={styles.library}
            data-selecting={selection.ids.size > 0 || undefined}
            onKeyDown={event =>
              handleCardKey(event, {
                ...selection,
                mark: toggleFavorite,
                remove: id =>
                  canEdit &&
                  setDialog({ kind: 'remove', mediaIds: selection.ids.size > 0 ? selectedIds : [id] }),
              })
            }
          >
            {[...Map.groupBy(items, ({ createdAt }) => new Date(createdAt).toDateString())].map(
              ([day, files]) => (
                <section key={day} className={styles.day}>
                  <h2>{formatDayHeading(day)}</h2>
                  <ul className={styles.grid}>
                    {files.map(item => (
                      <MediaCard
                        key={item.mediaId}
                        item={item}
                        isSelected={selection.ids.has(item.mediaId)}
                        onOpen={() => setDialog({ kind: 'details', mediaId: item.mediaId })}
                        onSelect={isRange => selection.toggle(item.mediaId, isRange)}
                        onMark={() => toggleFavorite(item.mediaId)}
                      />
                    ))}
                  </ul>
                </section>
              ),
            )}
          </div>
        )}
      </InfiniteList>
      {selection.ids.size > 0 && (
        <SelectionBar
          count={selection.ids.size}
          canEdit={canEdit}
          isInCollection={collection !== undefined}
          onAdd={() => setDialog({ kind: 'add', mediaIds: selectedIds })}
          onTakeOut={() => void takeOut().catch(showError)}
          onMark={() => mark(selectedIds, true)}
          onCompare={pair && (() => setDialog({ kind: 'compare' }))}
          onDownload={() => location.assign(getDownloadUrl({ mediaIds: selectedIds.join(',') }))}
          onDelete={() => setDialog({ kind: 'remove', mediaIds: selectedIds })}
          onClear={selection.clear}
        />
      )}
      {openItem && (
        <DetailsDialog
          item={openItem}
          canEdit={canEdit}
          onMark={() => toggleFavorite(openItem.mediaId)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'compare' && pair && <CompareDialog items={pair} onClose={close} />}
      {dialog?.kind === 'add' && <AddToCollectionDialog mediaIds={dialog.mediaIds} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveSeveralDialog mediaIds={dialog.mediaIds} onClose={close} />}
    </>
  );
}

/** Returns a heading for a day in the user's time zone. */
function formatDayHeading(day: string): string {
  const yesterday = new Date();
  yesterday.setDate(yesterday.getDate() - 1);
  if (day === new Date().toDateString()) return messages.today;
  return day === yesterday.toDateString() ? messages.yesterday : formatDay(Date.parse(day));
}

function NoMedia({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  return (
    <>
      <EmptyState icon={Images} title={messages.emptyTitle} action={<UploadButton onFiles={onFiles} />}>
        {messages.empty}
      </EmptyState>
      <Suggestions />
    </>
  );
}

function NoMatch({ onShowAll }: { readonly onShowAll: () => void }) {
  return (
    <EmptyState
      icon={Images}
      title={messages.noMatchTitle}
      action={<Button onClick={onShowAll}>{messages.all}</Button>}
    >
      {messages.noMatch}
    </EmptyState>
  );
}
