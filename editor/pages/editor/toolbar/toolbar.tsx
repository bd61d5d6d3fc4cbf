// Renders the toolbar of the editor: navigation, name and save status on the left, actions on the right.

import CalendarClock from 'icon:calendar-clock';
import ChevronDown from 'icon:chevron-down';
import CirclePlus from 'icon:circle-plus';
import Download from 'icon:download';
import Ellipsis from 'icon:ellipsis';
import History from 'icon:history';
import ListVideo from 'icon:list-video';
import Play from 'icon:play';
import Redo from 'icon:redo-2';
import Share from 'icon:share-2';
import Square from 'icon:square';
import Undo from 'icon:undo-2';
import Wand from 'icon:wand-sparkles';
import { setField } from '../../../board/edits.ts';
import { getCommand } from '../../../canvas/commands.ts';
import { messages } from '../../../flow-messages.ts';
import { AppMenuButton } from '../../../frame/app-menu-button.tsx';
import { Button, IconButton } from '../../../kit/button.tsx';
import type { Icon } from '../../../kit/icon.ts';
import { lazyMenu } from '../../../kit/lazy-menu.tsx';
import { useMediaQuery } from '../../../lib/use-visibility.ts';
import { useBoard, useEditor, useRun, useView } from '../../../session/editor-context.tsx';
import { isInProgress } from '../../../session/runs/run-store.ts';
import { Breadcrumb } from '../component/breadcrumb.tsx';
import { PresenceList } from '../presence/presence-list.tsx';
import { Price } from './price.tsx';
import { SaveStatus } from './save-status.tsx';
import styles from './toolbar.module.css';

const flowMessages = messages.flow;
/** Windows up to this width have no space for the labels of the tools. */
const NARROW = '(max-width: 1099.98px)';
/** Windows from this width have space for the labels of all tools. */
const WIDE = '(min-width: 87.5rem)';
/** Undo and redo are in the menu too, so that the name of the workflow has space. */
const PHONE = '(max-width: 30rem)';

const AppMenu = lazyMenu<object>(
  async () => (await import('../../../frame/app-menu.tsx')).AppMenu,
  (_, button) => <AppMenuButton {...button} />,
);
const MoreTools = lazyMenu<{ readonly tools: readonly Tool[] }>(
  async () => (await import('./toolbar-menus.tsx')).MoreTools,
  (_, button) => <IconButton icon={Ellipsis} label={flowMessages.tools.more} {...button} />,
);

const RunMenu = lazyMenu<{ readonly isDisabled: boolean }>(
  async () => (await import('./toolbar-menus.tsx')).RunMenu,
  ({ isDisabled }, button) => (
    <IconButton
      variant="primary"
      icon={ChevronDown}
      label={flowMessages.tools.runOptions}
      {...button}
      disabled={isDisabled || button.disabled}
    />
  ),
);

/** A command in the bar. Narrow windows show it in a menu. */
export interface Tool {
  readonly id: string;
  readonly icon: Icon;
  readonly label: string;
  /** Whether only wide windows show the label. */
  readonly isLabelOptional?: true;
  readonly isDisabled?: boolean;
}

const TOOLS: readonly Tool[] = [
  { id: 'arrange', icon: Wand, label: flowMessages.tools.arrange },
  { id: 'runs', icon: ListVideo, label: flowMessages.tools.runs },
  { id: 'versions', icon: History, label: flowMessages.tools.versions },
  { id: 'automations', icon: CalendarClock, label: flowMessages.tools.automations, isLabelOptional: true },
  { id: 'share', icon: Share, label: flowMessages.tools.share },
  { id: 'export', icon: Download, label: flowMessages.tools.export },
];

export function Toolbar() {
  const editor = useEditor();
  const { trail } = editor;
  const { isReadOnly } = editor.session;
  const tools = isReadOnly ? TOOLS.filter(({ id }) => id !== 'arrange') : TOOLS;
  const canUndo = useBoard(({ history }) => history.past.length > 0);
  const canRedo = useBoard(({ history }) => history.future.length > 0);
  const isNarrow = useMediaQuery(NARROW);
  const isPhone = useMediaQuery(PHONE);
  const isWide = useMediaQuery(WIDE);
  const historyTools: readonly Tool[] = isReadOnly
    ? []
    : [
        { id: 'undo', icon: Undo, label: flowMessages.tools.undo, isDisabled: !canUndo },
        { id: 'redo', icon: Redo, label: flowMessages.tools.redo, isDisabled: !canRedo },
      ];
  const run = (id: string) => () => getCommand(id).run(editor);
  return (
    <div
      className={styles.toolbar}
      role="toolbar"
      data-focus-region="bar"
      data-in-place={trail.length > 0 || undefined}
      aria-label={flowMessages.toolbar}
    >
      <AppMenu />
      <div className={styles.start}>
        {trail.length > 0 && <Breadcrumb />}
        <NameField />
        <SaveStatus />
      </div>
      <div className={styles.tools}>
        {!isPhone &&
          historyTools.map(({ id, icon, label, isDisabled }) => (
            <IconButton key={id} icon={icon} label={label} disabled={isDisabled} onClick={run(id)} />
          ))}
        {historyTools.length > 0 && <span className={styles.line} />}
        {isNarrow ? (
          <>
            {!isReadOnly && (
              <IconButton icon={CirclePlus} label={flowMessages.tools.add} onClick={run('add')} />
            )}
            <MoreTools tools={isPhone ? [...historyTools, ...tools] : tools} />
          </>
        ) : (
          <>
            {!isReadOnly && (
              <Button variant="quiet" icon={CirclePlus} onClick={run('add')}>
                {flowMessages.tools.add}
              </Button>
            )}
            {tools.map(tool => (
              <ToolButton
                key={tool.id}
                {...tool}
                hasLabel={isWide || tool.isLabelOptional !== true}
                onClick={run(tool.id)}
              />
            ))}
          </>
        )}
      </div>
      <div className={styles.end}>
        <PresenceList />
        <Price />
        <RunButton />
      </div>
    </div>
  );
}

type ToolButtonProps = Tool & { readonly hasLabel: boolean; readonly onClick: () => void };

function ToolButton({ id, icon, label, hasLabel, onClick }: ToolButtonProps) {
  const dock = useView(view => view.dock);
  const isToggle = id === 'runs' || id === 'versions' || id === 'automations';
  const isPressed = isToggle ? dock === id : undefined;
  return hasLabel ? (
    <Button variant="quiet" icon={icon} aria-pressed={isPressed} onClick={onClick}>
      {label}
    </Button>
  ) : (
    <IconButton icon={icon} label={label} aria-pressed={isPressed} onClick={onClick} />
  );
}

function NameField() {
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
        readOnly={session.isReadOnly}
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
  const editor = useEditor();
  const { runs, session } = editor;
  const isRunning = useRun(({ run }) => isInProgress(run));
  const isStarting = useRun(state => state.isStarting);
  const isCancelling = useRun(({ run }) => run?.status === 'CANCELLING');
  // Users who can only view a workflow cannot run it, and a run would not use an earlier version.
  const isDisabled = useBoard(({ board }) => board.nodes.length === 0) || session.isReadOnly;
  if (isRunning)
    return (
      <Button icon={Square} isBusy={isCancelling} onClick={() => void runs.cancel()}>
        {flowMessages.tools.cancel}
      </Button>
    );
  return (
    <span className={styles.run}>
      <Button
        variant="primary"
        icon={Play}
        isBusy={isStarting}
        disabled={isDisabled}
        onClick={() => getCommand('run').run(editor)}
      >
        {flowMessages.tools.run}
      </Button>
      <RunMenu isDisabled={isDisabled || isStarting} />
    </span>
  );
}
