// Renders the collections of the workspace as tabs above the media, and the actions of the open one.

import Download from 'icon:download';
import Pencil from 'icon:pencil';
import Plus from 'icon:plus';
import Star from 'icon:star';
import Trash from 'icon:trash-2';
import { useState } from 'react';
import type { Collection } from '../../../sdk/src/schemas.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { useCollections } from '../../session/results/collections.ts';
import { CreateCollectionDialog, DeleteCollectionDialog, RenameCollectionDialog } from './dialogs.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

/** Which media the page shows. */
export interface Shelf {
  readonly collectionId: string | undefined;
  readonly isFavorites: boolean;
}

interface CollectionTabsProps {
  readonly shelf: Shelf;
  readonly canEdit: boolean;
  readonly onOpen: (shelf: Shelf) => void;
}

export function CollectionTabs({ shelf, canEdit, onOpen }: CollectionTabsProps) {
  const { data: collections } = useCollections();
  const [isCreating, setCreating] = useState(false);
  const renderTab = (target: Shelf, content: React.ReactNode, key: string) => {
    const isOpen = target.collectionId === shelf.collectionId && target.isFavorites === shelf.isFavorites;
    return (
      <li key={key}>
        <button
          type="button"
          className={styles.tab}
          aria-current={isOpen ? 'true' : undefined}
          onClick={() => onOpen(target)}
        >
          {content}
        </button>
      </li>
    );
  };
  return (
    <nav aria-label={messages.collections}>
      <ul className={styles.tabs}>
        {renderTab({ collectionId: undefined, isFavorites: false }, messages.allMedia, 'all')}
        {renderTab(
          { collectionId: undefined, isFavorites: true },
          <>
            <Star size={14} /> {messages.favorites}
          </>,
          'favorites',
        )}
        {collections?.data.map(({ id, name, mediaCount }) =>
          renderTab(
            { collectionId: id, isFavorites: false },
            <>
              <span className={styles.tabName}>{name}</span>{' '}
              <span className={styles.count}>{mediaCount}</span>
            </>,
            id,
          ),
        )}
        {canEdit && (
          <li>
            <Button size="s" variant="quiet" icon={Plus} onClick={() => setCreating(true)}>
              {messages.newCollection}
            </Button>
          </li>
        )}
      </ul>
      {isCreating && (
        <CreateCollectionDialog
          onCreated={id => onOpen({ collectionId: id, isFavorites: false })}
          onClose={() => setCreating(false)}
        />
      )}
    </nav>
  );
}

/** Renders the buttons of the open collection. */
export function CollectionActions({
  collection,
  canEdit,
  onDeleted,
}: {
  readonly collection: Collection;
  readonly canEdit: boolean;
  readonly onDeleted: () => void;
}) {
  const { id } = collection;
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const close = (): void => setDialog(undefined);
  return (
    <>
      <IconButton
        icon={Download}
        label={messages.downloadCollection}
        onClick={() => location.assign(getDownloadUrl({ collectionId: id }))}
      />
      {canEdit && (
        <>
          <IconButton icon={Pencil} label={messages.renameCollection} onClick={() => setDialog('rename')} />
          <IconButton icon={Trash} label={messages.deleteCollection} onClick={() => setDialog('delete')} />
        </>
      )}
      {dialog === 'rename' && <RenameCollectionDialog collection={collection} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteCollectionDialog collection={collection} onDeleted={onDeleted} onClose={close} />
      )}
    </>
  );
}

/** Returns the URL of an archive of these files, or of the files of a collection. */
export const getDownloadUrl = (
  files: { readonly collectionId: string } | { readonly mediaIds: string },
): string => `/api/v1/media/download?${new URLSearchParams(files)}`;
