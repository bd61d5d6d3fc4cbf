// Renders the folder tree. Workflows and folders can be dropped on a folder.

import FolderIcon from 'icon:folder';
import FolderPlus from 'icon:folder-plus';
import Users from 'icon:users';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { classNames } from '../../kit/class-names.ts';
import { formatNumber } from '../../lib/format.ts';
import type { WorkflowFilters } from './filters.tsx';
import { FolderDialog, RemoveFolderDialog } from './folder-dialogs.tsx';
import styles from './folder-tree.module.css';
import { FolderMenu } from './menus.tsx';
import { messages } from './messages.ts';
import type { TreeFolder } from './use-folders.ts';
import { DRAG_TYPE, FOLDER_DRAG_TYPE, type NamedItem, useWorkflowActions } from './use-workflow-actions.ts';

interface FolderTreeProps {
  readonly folders: readonly TreeFolder[];
  readonly filters: WorkflowFilters;
}

type OpenDialog = { readonly kind: 'create' | 'rename' | 'remove'; readonly folder?: TreeFolder };

export function FolderTree({ folders, filters }: FolderTreeProps) {
  const { folderId: selectedId, isShared, setFolder: onChoose } = filters;
  const [openDialog, setOpenDialog] = useState<OpenDialog>();
  const close = (): void => setOpenDialog(undefined);
  return (
    <nav className={styles.tree} aria-label={messages.folders}>
      <ul>
        <FolderRow
          name={messages.allWorkflows}
          isSelected={selectedId === undefined && !isShared}
          onChoose={() => onChoose(undefined)}
        />
        <FolderRow
          name={messages.sharedWithMe}
          icon={Users}
          isSelected={isShared}
          onChoose={filters.showShared}
        />
        {folders.length > 0 && (
          <FolderRow
            name={messages.noFolder}
            targetId={null}
            isSelected={selectedId === 'root'}
            onChoose={() => onChoose('root')}
          />
        )}
        {folders.map(folder => (
          <FolderRow
            key={folder.id}
            name={folder.name}
            targetId={folder.id}
            folder={folder}
            isSelected={selectedId === folder.id}
            onChoose={() => onChoose(folder.id)}
            onAction={kind => setOpenDialog({ kind, folder })}
          />
        ))}
      </ul>
      <Button variant="quiet" size="s" icon={FolderPlus} onClick={() => setOpenDialog({ kind: 'create' })}>
        {messages.newFolder}
      </Button>
      {openDialog?.kind === 'remove' && openDialog.folder ? (
        <RemoveFolderDialog
          folder={openDialog.folder}
          onClose={close}
          onRemoved={() => onChoose(undefined)}
        />
      ) : (
        openDialog && <FolderDialog folder={openDialog.folder} onClose={close} />
      )}
    </nav>
  );
}

interface FolderRowProps {
  readonly name: string;
  /** Default: a folder. */
  readonly icon?: typeof FolderIcon;
  /** Id of the folder that dropped items move to. Null moves them out of all folders; undefined accepts no drops. */
  readonly targetId?: string | null;
  readonly folder?: TreeFolder;
  readonly isSelected: boolean;
  readonly onChoose: () => void;
  readonly onAction?: (kind: 'rename' | 'remove') => void;
}

function FolderRow({
  name,
  icon: Icon = FolderIcon,
  targetId,
  folder,
  isSelected,
  onChoose,
  onAction,
}: FolderRowProps) {
  const drop = useDropTarget(targetId, targetId === null ? null : name);
  return (
    <li
      className={classNames(styles.line, isSelected && styles.selected, drop.isOver && styles.dropTarget)}
      style={{ paddingInlineStart: `${(folder?.depth ?? 0) * 0.875}rem` }}
      draggable={folder !== undefined}
      onDragStart={event => {
        if (folder === undefined) return;
        const { id } = folder;
        event.dataTransfer.setData(FOLDER_DRAG_TYPE, JSON.stringify({ id, name }));
      }}
      {...drop.handlers}
    >
      <button type="button" className={styles.choose} aria-pressed={isSelected} onClick={onChoose}>
        <Icon />
        <span className={styles.name}>{name}</span>
        {folder && <span className={styles.count}>{formatNumber(folder.workflowCount)}</span>}
      </button>
      {onAction && <FolderMenu name={name} onAction={onAction} />}
    </li>
  );
}

function useDropTarget(targetId: string | null | undefined, folderName: string | null) {
  const [isOver, setOver] = useState(false);
  const { move, moveFolder } = useWorkflowActions();
  const movesByType = { [DRAG_TYPE]: move, [FOLDER_DRAG_TYPE]: moveFolder };
  const handlers = {
    onDragOver: (event: React.DragEvent) => {
      if (!event.dataTransfer.types.some(type => Object.hasOwn(movesByType, type))) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: React.DragEvent) => {
      setOver(false);
      if (targetId === undefined) return;
      for (const [type, moveItem] of Object.entries(movesByType)) {
        const dragged = event.dataTransfer.getData(type);
        if (dragged === '') continue;
        event.preventDefault();
        const item = JSON.parse(dragged) as NamedItem;
        if (item.id !== targetId) moveItem(item, targetId, folderName);
      }
    },
  };
  return { isOver, handlers: targetId === undefined ? {} : handlers };
}
