// Renders the program of a code node: the editor, also in a large dialog, with the last run and its log below.
import Maximize from 'icon:maximize-2';
import Play from 'icon:play';
import { useState } from 'react';
import { getCodePorts } from '../../../../src/graph/config-ports.ts';
import { toFieldText } from '../../../board/item-text.ts';
import { formatProgramType } from '../../../board/program-ports.ts';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { useEditor, useRun } from '../../../session/editor-context.tsx';
import { NodeLastRun } from '../../../session/runs/node-last-run.tsx';
import { rerunNode } from '../../../session/runs/plan-run.ts';
import { isRunning } from '../../../session/runs/run-store.ts';
import { CodeField } from './code-field.tsx';
import type { ControlProps } from './controls.tsx';
import styles from './inspector.module.css';

const codeMessages = messages.flow.code;

export function CodeControl(props: ControlProps) {
  const [isLarge, setLarge] = useState(false);
  const { node } = props;
  return (
    <div className={styles.program}>
      <ProgramField {...props} />
      <div className={styles.runButtons}>
        <RunNodeButton {...props} />
        <Button size="s" icon={Maximize} onClick={() => setLarge(true)}>
          {codeMessages.enlarge}
        </Button>
      </div>
      <NodeLastRun node={node} />
      {isLarge && (
        <Dialog
          title={codeMessages.title(node.data.label)}
          size="xl"
          onClose={() => setLarge(false)}
          actions={<RunNodeButton {...props} />}
        >
          <div className={styles.largeCode}>
            <ProgramField {...props} />
          </div>
          <NodeLastRun node={node} />
        </Dialog>
      )}
    </div>
  );
}

/** Renders the program, with the type of the function that it must export. */
function ProgramField({ node, input, value, error, onChange }: ControlProps) {
  const { session } = useEditor();
  const { config } = node.data;
  const ports = { inputs: getCodePorts(config?.inputs), outputs: getCodePorts(config?.outputs) };
  return (
    <CodeField
      label={input.label}
      language="typescript"
      ports={ports}
      isReadOnly={session.isReadOnly}
      hint={formatProgramType(ports)}
      error={error}
      value={toFieldText(value ?? input.default)}
      onChange={onChange}
    />
  );
}

function RunNodeButton({ node }: Pick<ControlProps, 'node'>) {
  const editor = useEditor();
  const isBusy = useRun(isRunning);
  return (
    <Button size="s" icon={Play} disabled={isBusy} onClick={() => void rerunNode(editor, node.id)}>
      {messages.flow.runNode}
    </Button>
  );
}
