// Renders the actions for the selected files, at the bottom of the window.

import Download from 'icon:download';
import FolderMinus from 'icon:folder-minus';
import FolderPlus from 'icon:folder-plus';
import GitCompare from 'icon:git-compare-arrows';
import Star from 'icon:star';
import Trash from 'icon:trash-2';
import Close from 'icon:x';
import { Button, IconButton } from '../../kit/button.tsx';
import type { Icon } from '../../kit/icon.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

interface SelectionBarProps {
  readonly count: number;
  readonly canEdit: boolean;
  readonly isInCollection: boolean;
  readonly onAdd: () => void;
  readonly onTakeOut: () => void;
  readonly onMark: () => void;
  /** Absent unless two files are selected. */
  readonly onCompare: (() => void) | undefined;
  readonly onDownload: () => void;
  readonly onDelete: () => void;
  readonly onClear: () => void;
}

export function SelectionBar(props: SelectionBarProps) {
  const { count, canEdit, isInCollection } = props;
  return (
    <div className={styles.selection} role="toolbar" aria-label={messages.selectionActions}>
      <output className={styles.selectionCount}>{messages.selected(count)}</output>
      {canEdit && <Action icon={FolderPlus} text={messages.addToCollection} onClick={props.onAdd} />}
      {canEdit && isInCollection && (
        <Action icon={FolderMinus} text={messages.removeFromCollection} onClick={props.onTakeOut} />
      )}
      <Action icon={Star} text={messages.addToFavorites} onClick={props.onMark} />
      {props.onCompare && <Action icon={GitCompare} text={messages.compare} onClick={props.onCompare} />}
      <Action icon={Download} text={messages.download} onClick={props.onDownload} />
      {canEdit && <Action icon={Trash} text={messages.delete} onClick={props.onDelete} />}
      <IconButton icon={Close} size="s" label={messages.clearSelection} onClick={props.onClear} />
    </div>
  );
}

interface ActionProps {
  readonly icon: Icon;
  readonly text: string;
  readonly onClick: () => void;
}

/** Renders a button that shows only its icon on phones. */
const Action = ({ icon, text, onClick }: ActionProps) => (
  <Button size="s" variant="quiet" icon={icon} aria-label={text} onClick={onClick}>
    <span className={styles.actionText}>{text}</span>
  </Button>
);
