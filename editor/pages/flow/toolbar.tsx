// Renders the toolbar: name and save status on the left, actions on the right.

import CirclePlus from 'icon:circle-plus';
import Download from 'icon:download';
import History from 'icon:history';
import ListVideo from 'icon:list-video';
import Play from 'icon:play';
import Redo from 'icon:redo-2';
import Share from 'icon:share-2';
import Square from 'icon:square';
import Undo from 'icon:undo-2';
import Wand from 'icon:wand-sparkles';
import { setField } from '../../board/edits.ts';
import { getCommand } from '../../canvas/commands.ts';
import { messages } from '../../flow-messages.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import type { Icon } from '../../kit/icon.ts';
import { useBoard, useEditor, useRun } from '../../runs/editor-context.tsx';
import { isInProgress } from '../../runs/run-store.ts';
import { PresenceList } from './presence-list.tsx';
import { Price } from './price.tsx';
import { SaveStatus } from './save-status.tsx';
import styles from './toolbar.module.css';

const flowMessages = messages.flow;

export function Toolbar() {
  const canUndo = useBoard(({ history }) => history.past.length > 0);
  const canRedo = useBoard(({ history }) => history.future.length > 0);
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={flowMessages.toolbar}>
      <div className={styles.start}>
        <Name />
        <SaveStatus />
      </div>
      <div className={styles.tools}>
        <Tool id="add" icon={CirclePlus} label={flowMessages.tools.add} />
        <span className={styles.line} />
        <Tool id="undo" icon={Undo} label={flowMessages.tools.undo} isOff={!canUndo} />
        <Tool id="redo" icon={Redo} label={flowMessages.tools.redo} isOff={!canRedo} />
        <Tool id="arrange" icon={Wand} label={flowMessages.tools.arrange} />
        <span className={styles.line} />
        <Tool id="runs" icon={ListVideo} label={flowMessages.tools.runs} />
        <Tool id="versions" icon={History} label={flowMessages.tools.versions} />
        <Tool id="export" icon={Download} label={flowMessages.tools.export} />
        <Tool id="share" icon={Share} label={flowMessages.tools.share} />
      </div>
      <div className={styles.end}>
        <PresenceList />
        <Price />
        <RunButton />
      </div>
    </div>
  );
}

interface ToolProps {
  readonly id: string;
  readonly icon: Icon;
  readonly label: string;
  readonly isOff?: boolean;
}

function Tool({ id, icon, label, isOff = false }: ToolProps) {
  const editor = useEditor();
  return <IconButton icon={icon} label={label} disabled={isOff} onClick={() => getCommand(id).run(editor)} />;
}

function Name() {
  const { session } = useEditor();
  const name = useBoard(({ board }) => String(board.fields.name ?? ''));
  const { store } = session;
  return (
    <h1 className={styles.title}>
      <input
        className={styles.name}
        aria-label={flowMessages.name}
        value={name}
        maxLength={200}
        spellCheck={false}
        onChange={({ target }) =>
          store.actions.perform(
            flowMessages.edits.rename,
            setField(store.getState().board, 'name', target.value),
            'name',
          )
        }
      />
    </h1>
  );
}

function RunButton() {
  const { runs } = useEditor();
  const editor = useEditor();
  const isRunning = useRun(({ run }) => isInProgress(run));
  const isStarting = useRun(state => state.isStarting);
  const isCancelling = useRun(({ run }) => run?.status === 'CANCELLING');
  const isEmpty = useBoard(({ board }) => board.nodes.length === 0);
  if (isRunning)
    return (
      <Button icon={Square} isBusy={isCancelling} onClick={() => void runs.cancel()}>
        {flowMessages.tools.cancel}
      </Button>
    );
  return (
    <Button
      variant="primary"
      icon={Play}
      isBusy={isStarting}
      disabled={isEmpty}
      onClick={() => getCommand('run').run(editor)}
    >
      {flowMessages.tools.run}
    </Button>
  );
}
