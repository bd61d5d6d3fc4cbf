// The folders: choose one to see what is in it, drop a workflow on one to move it there.

import FolderIcon from 'icon:folder';
import FolderPlus from 'icon:folder-plus';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { classNames } from '../../kit/class-names.ts';
import { formatNumber } from '../../lib/format.ts';
import { FolderDialog, RemoveFolderDialog } from './folder-dialogs.tsx';
import styles from './folder-tree.module.css';
import { FolderMenu } from './menus.tsx';
import { texts } from './messages.ts';
import type { TreeFolder } from './use-folders.ts';
import { DRAG_TYPE, type ListedWorkflow, useWorkflowActions } from './use-workflow.ts';

interface FolderTreeProps {
  readonly folders: readonly TreeFolder[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** The dialog that is open, and of which folder. */
type Asked = { readonly kind: 'create' | 'rename' | 'remove'; readonly folder?: TreeFolder };

export function FolderTree({ folders, chosen, onChoose }: FolderTreeProps) {
  const [asked, ask] = useState<Asked>();
  const close = (): void => ask(undefined);
  return (
    <nav className={styles.tree} aria-label={texts.folders}>
      <ul>
        <Line name={texts.allFolders} isChosen={chosen === undefined} onChoose={() => onChoose(undefined)} />
        {folders.length > 0 && (
          <Line
            name={texts.root}
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
      <Button look="quiet" size="s" icon={FolderPlus} onClick={() => ask({ kind: 'create' })}>
        {texts.newFolder}
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
  /** Where a dropped workflow goes: null: out of all folders; undefined: nothing can be dropped. */
  readonly target?: string | null;
  readonly folder?: TreeFolder;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onAsk?: (kind: 'rename' | 'remove') => void;
}

function Line({ name, target, folder, isChosen, onChoose, onAsk }: LineProps) {
  const drop = useDrop(target, name);
  return (
    <li
      className={classNames(styles.line, isChosen && styles.chosen, drop.isOver && styles.over)}
      style={{ paddingInlineStart: `${(folder?.depth ?? 0) * 0.875}rem` }}
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

function useDrop(target: string | null | undefined, name: string) {
  const [isOver, setOver] = useState(false);
  const { move } = useWorkflowActions();
  const handlers = {
    onDragOver: (event: React.DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAG_TYPE)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: React.DragEvent) => {
      setOver(false);
      const dragged = event.dataTransfer.getData(DRAG_TYPE);
      if (dragged === '' || target === undefined) return;
      event.preventDefault();
      move(JSON.parse(dragged) as Pick<ListedWorkflow, 'id' | 'name'>, target, name);
    },
  };
  return { isOver, handlers: target === undefined ? {} : handlers };
}
