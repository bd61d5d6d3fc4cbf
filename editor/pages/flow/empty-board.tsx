// Renders the hints on an empty board: node search, and templates that run without keys.

import Plus from 'icon:plus';
import Search from 'icon:search';
import Sparkles from 'icon:sparkles';
import { add } from '../../board/edits.ts';
import { getCommand } from '../../canvas/commands.ts';
import { messages } from '../../flow-messages.ts';
import { Button } from '../../kit/button.tsx';
import { useBoard, useEditor } from '../../runs/editor-context.tsx';
import styles from './empty-board.module.css';
import { EXAMPLE, EXAMPLE_TYPES } from './example.ts';
import { Starters } from './starters.tsx';

const flowMessages = messages.flow;

/** Notes and frames alone cannot run. */
const SHELLS: ReadonlySet<string> = new Set(['stickyNote', 'groupFrame']);

export function EmptyBoard() {
  const editor = useEditor();
  const isEmpty = useBoard(({ board }) => board.nodes.every(({ type }) => SHELLS.has(type)));
  if (!isEmpty) return null;
  const { session, canvas } = editor;
  const { store, catalog } = session;
  const hasExample = EXAMPLE_TYPES.every(type => catalog.find(type)?.hidden !== true && catalog.find(type));
  const putExample = (): void => {
    store.actions.perform(
      flowMessages.edits.paste(EXAMPLE.nodes.length),
      add(store.getState().board, EXAMPLE),
    );
    requestAnimationFrame(() => requestAnimationFrame(() => canvas.current?.fit()));
  };
  return (
    <div className={styles.empty}>
      <h2>{flowMessages.emptyTitle}</h2>
      <p>{flowMessages.empty}</p>
      <label className={styles.search}>
        <Search />
        <input
          type="search"
          aria-label={flowMessages.emptySearch}
          placeholder={flowMessages.emptyPrompt}
          value=""
          onChange={({ target }) =>
            editor.view.setState({ panel: { kind: 'add', placement: {}, text: target.value } })
          }
        />
      </label>
      <Starters />
      <div className={styles.actions}>
        <Button variant="primary" icon={Plus} onClick={() => getCommand('add').run(editor)}>
          {flowMessages.emptyAdd}
        </Button>
        {hasExample && (
          <Button icon={Sparkles} onClick={putExample}>
            {flowMessages.emptyExample}
          </Button>
        )}
      </div>
    </div>
  );
}
