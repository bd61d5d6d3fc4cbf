// Renders the folder tree. Workflows and folders can be dropped on a folder.

import FolderIcon from 'icon:folder';
import FolderPlus from 'icon:folder-plus';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { classNames } from '../../kit/class-names.ts';
import { formatNumber } from '../../lib/format.ts';
import { FolderDialog, RemoveFolderDialog } from './folder-dialogs.tsx';
import styles from './folder-tree.module.css';
import { FolderMenu } from './menus.tsx';
import { messages } from './messages.ts';
import type { TreeFolder } from './use-folders.ts';
import { DRAG_TYPE, FOLDER_DRAG_TYPE, type Named, useWorkflowActions } from './use-workflow.ts';

interface FolderTreeProps {
  readonly folders: readonly TreeFolder[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** The open dialog and its folder. */
type Asked = { readonly kind: 'create' | 'rename' | 'remove'; readonly folder?: TreeFolder };

export function FolderTree({ folders, chosen, onChoose }: FolderTreeProps) {
  const [asked, ask] = useState<Asked>();
  const close = (): void => ask(undefined);
  return (
    <nav className={styles.tree} aria-label={messages.folders}>
      <ul>
        <Line
          name={messages.allFolders}
          isChosen={chosen === undefined}
          onChoose={() => onChoose(undefined)}
        />
        {folders.length > 0 && (
          <Line
            name={messages.root}
            target={null}
            isChosen={chosen === 'root'}
            onChoose={() => onChoose('root')}
          />
        )}
        {folders.map(folder => (
          <Line
            key={folder.id}
            name={folder.name}
            target={folder.id}
            folder={folder}
            isChosen={chosen === folder.id}
            onChoose={() => onChoose(folder.id)}
            onAsk={kind => ask({ kind, folder })}
          />
        ))}
      </ul>
      <Button variant="quiet" size="s" icon={FolderPlus} onClick={() => ask({ kind: 'create' })}>
        {messages.newFolder}
      </Button>
      {asked?.kind === 'remove' && asked.folder ? (
        <RemoveFolderDialog folder={asked.folder} onClose={close} onRemoved={() => onChoose(undefined)} />
      ) : (
        asked && <FolderDialog folder={asked.folder} onClose={close} />
      )}
    </nav>
  );
}

interface LineProps {
  readonly name: string;
  /** The drop target: null: no folder; undefined: not a target. */
  readonly target?: string | null;
  readonly folder?: TreeFolder;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onAsk?: (kind: 'rename' | 'remove') => void;
}

function Line({ name, target, folder, isChosen, onChoose, onAsk }: LineProps) {
  const drop = useDrop(target, target === null ? null : name);
  return (
    <li
      className={classNames(styles.line, isChosen && styles.chosen, drop.isOver && styles.over)}
      style={{ paddingInlineStart: `${(folder?.depth ?? 0) * 0.875}rem` }}
      draggable={folder !== undefined}
      onDragStart={event => {
        if (folder === undefined) return;
        const { id } = folder;
        event.dataTransfer.setData(FOLDER_DRAG_TYPE, JSON.stringify({ id, name }));
      }}
      {...drop.handlers}
    >
      <button type="button" className={styles.choose} aria-pressed={isChosen} onClick={onChoose}>
        <FolderIcon />
        <span className={styles.name}>{name}</span>
        {folder && <span className={styles.count}>{formatNumber(folder.workflowCount)}</span>}
      </button>
      {onAsk && <FolderMenu name={name} onAsk={onAsk} />}
    </li>
  );
}

function useDrop(target: string | null | undefined, folder: string | null) {
  const [isOver, setOver] = useState(false);
  const { move, moveFolder } = useWorkflowActions();
  const moves = { [DRAG_TYPE]: move, [FOLDER_DRAG_TYPE]: moveFolder };
  const handlers = {
    onDragOver: (event: React.DragEvent) => {
      if (!event.dataTransfer.types.some(type => Object.hasOwn(moves, type))) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: React.DragEvent) => {
      setOver(false);
      if (target === undefined) return;
      for (const [type, act] of Object.entries(moves)) {
        const dragged = event.dataTransfer.getData(type);
        if (dragged === '') continue;
        event.preventDefault();
        const named = JSON.parse(dragged) as Named;
        if (named.id !== target) act(named, target, folder);
      }
    },
  };
  return { isOver, handlers: target === undefined ? {} : handlers };
}
