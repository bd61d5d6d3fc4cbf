// Renders the command menu and the node search.

import { flushSync } from 'react-dom';
import { getCategory } from '../../../canvas/colors.ts';
import { COMMANDS, getCommand } from '../../../canvas/commands.ts';
import { CategoryIcon } from '../../../canvas/icons.tsx';
import { Keys } from '../../../canvas/shortcut.tsx';
import { messages } from '../../../flow-messages.ts';
import { type Choice, Chooser } from '../../../kit/chooser.tsx';
import { useEditor } from '../../../session/editor-context.tsx';

const flowMessages = messages.flow;

interface PanelProps {
  readonly onClose: () => void;
}

export function CommandMenu({ onClose }: PanelProps) {
  const editor = useEditor();
  const choices = COMMANDS.filter(({ id }) => id !== 'commands').map(
    ({ id, label, keys }): Choice => ({ id, label, hint: keys[0] && <Keys keys={keys[0]} /> }),
  );
  return (
    <Chooser
      title={flowMessages.commands.commands}
      placeholder={flowMessages.searchCommands}
      findChoices={text => choices.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))}
      onChoose={id => {
        // Commands that move the focus need it back from the dialog.
        flushSync(onClose);
        getCommand(id).run(editor);
      }}
      onClose={onClose}
    />
  );
}

export function FindNode({ onClose }: PanelProps) {
  const { session, canvas } = useEditor();
  const { nodes } = session.store.getState().board;
  const find = (text: string): readonly Choice[] => {
    const query = text.toLowerCase();
    return nodes
      .filter(({ id, data }) => `${data.label} ${id} ${data.nodeType}`.toLowerCase().includes(query))
      .map(node => {
        const entry = session.catalog.find(node.data.nodeType);
        const category = getCategory({ node, entry });
        return {
          id: node.id,
          label: node.data.label,
          detail: entry?.label ?? node.data.nodeType,
          icon: <CategoryIcon category={category} />,
        };
      });
  };
  return (
    <Chooser
      title={flowMessages.commands.find}
      placeholder={flowMessages.searchBoard}
      findChoices={find}
      onChoose={id => {
        // Elements outside of a dialog cannot get the focus before it closes.
        flushSync(() => {
          onClose();
          session.store.actions.select([id]);
        });
        canvas.current?.zoomToFit([id]);
        canvas.current?.focusNode(id);
      }}
      onClose={onClose}
    />
  );
}
