// Renders the dialog that makes a component of the selected nodes, with the component's name and future ports.
import { type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { getInterface } from '../../../../src/graph/components/interface.ts';
import { findNode } from '../../../board/board.ts';
import { type Extraction, extractComponent } from '../../../board/component.ts';
import { messages } from '../../../component-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { TextField } from '../../../kit/field.tsx';
import formStyles from '../../../kit/form.module.css';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { formatNames } from '../../../lib/format.ts';
import { makeComponent } from '../../../session/components.ts';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';
import styles from '../dialogs/dialogs.module.css';

const { make: makeMessages } = messages;
const MAX_NAME = 200;
const MAX_NAMES = 8;

export function MakeComponentDialog({ onClose }: { readonly onClose: () => void }) {
  const { catalog, store } = useEditor().session;
  const board = useBoard(state => state.board);
  const selection = useBoard(state => state.selection);
  const extraction = extractComponent(board, catalog, selection);
  if (!('problem' in extraction)) return <NameForm extraction={extraction} onClose={onClose} />;
  if (extraction.problem === 'no nodes')
    return (
      <Dialog title={makeMessages.title} onClose={onClose}>
        <p>{makeMessages.noNodes}</p>
      </Dialog>
    );
  const { between } = extraction;
  const labels = between.slice(0, MAX_NAMES).map(({ data }) => data.label);
  return (
    <Dialog
      title={makeMessages.title}
      onClose={onClose}
      actions={
        <Button
          variant="primary"
          onClick={() => store.actions.select([...selection, ...between.map(({ id }) => id)])}
        >
          {makeMessages.selectBetween(between.length)}
        </Button>
      }
    >
      <p>{makeMessages.between(formatNames(labels), between.length)}</p>
    </Dialog>
  );
}

function NameForm({
  extraction,
  onClose,
}: {
  readonly extraction: Extraction;
  readonly onClose: () => void;
}) {
  const editor = useEditor();
  const { catalog, store } = editor.session;
  const { board, selection } = store.getState();
  const [ids] = useState(() => [...selection]);
  const [name, setName] = useState(() =>
    ids.length === 1 ? (findNode(board, ids[0] ?? '')?.data.label ?? '') : '',
  );
  const callId = useRef<string>(undefined);
  const { inputs, outputs } = getInterface(extraction.part, catalog);
  const close = (): void => {
    // Nodes cannot get the focus before the dialog has closed.
    flushSync(onClose);
    if (callId.current !== undefined) editor.canvas.current?.focusNode(callId.current);
  };
  return (
    <FormDialog
      title={makeMessages.title}
      submitText={makeMessages.title}
      onSubmit={async () => {
        callId.current = await makeComponent(editor, ids, name.trim());
      }}
      onClose={close}
    >
      <p>{makeMessages.about}</p>
      <TextField
        label={makeMessages.name}
        value={name}
        required
        maxLength={MAX_NAME}
        pattern=".*\S.*"
        onChange={({ target }) => setName(target.value)}
      />
      <dl className={styles.part}>
        <Ports title={makeMessages.inputs} ports={inputs} />
        <Ports title={makeMessages.outputs} ports={outputs} />
      </dl>
    </FormDialog>
  );
}

function Ports({
  title,
  ports,
}: {
  readonly title: string;
  readonly ports: readonly { readonly label: string }[];
}): ReactNode {
  const labels = ports.slice(0, MAX_NAMES).map(({ label }) => label);
  return (
    <div>
      <dt className={formStyles.muted}>{title}</dt>
      <dd>{makeMessages.ports(labels, ports.length - labels.length)}</dd>
    </div>
  );
}
