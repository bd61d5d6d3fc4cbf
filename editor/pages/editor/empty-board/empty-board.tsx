// Renders the start screen of an empty board: node search, templates, and an example that needs no API keys.

import Plus from 'icon:plus';
import Search from 'icon:search';
import Sparkles from 'icon:sparkles';
import { add } from '../../../board/edits.ts';
import { getCommand } from '../../../canvas/commands.ts';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { useEditor } from '../../../session/editor-context.tsx';
import styles from './empty-board.module.css';
import { EXAMPLE, EXAMPLE_TYPES } from './example.ts';
import { StarterTemplates } from './starter-templates.tsx';

const flowMessages = messages.flow;

export function EmptyBoard() {
  const editor = useEditor();
  const { session, canvas } = editor;
  const { store, catalog } = session;
  const hasExample = EXAMPLE_TYPES.every(type => catalog.find(type)?.hidden !== true && catalog.find(type));
  const insertExample = (): void => {
    store.actions.perform(
      flowMessages.edits.paste(EXAMPLE.nodes.length),
      add(store.getState().board, EXAMPLE),
    );
    // Waits until the canvas shows the new nodes.
    requestAnimationFrame(() => requestAnimationFrame(() => canvas.current?.zoomToFit()));
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
      <StarterTemplates />
      <div className={styles.actions}>
        <Button variant="primary" icon={Plus} onClick={() => getCommand('add').run(editor)}>
          {flowMessages.emptyAdd}
        </Button>
        {hasExample && (
          <Button icon={Sparkles} onClick={insertExample}>
            {flowMessages.emptyExample}
          </Button>
        )}
      </div>
    </div>
  );
}
