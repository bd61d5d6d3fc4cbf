// The workflow as a file, and the code that starts it with the inputs that are on the screen.

import Download from 'icon:download';
import { useState } from 'react';
import type { Board } from '../../../board/board.ts';
import { useBoard, useEditor } from '../../../board/editor-context.tsx';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { messages } from '../../../messages.ts';
import { CODE, type Language } from './call-code.ts';
import styles from './dialogs.module.css';

const texts = messages.flow.exports;

export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const { session } = useEditor();
  const board = useBoard(state => state.board);
  const [language, setLanguage] = useState<Language>('curl');
  const code = CODE[language]({ origin: location.origin, workflowId: session.id, inputs: inputsOf(board) });
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <div className={styles.buttons}>
        <Button icon={Download} onClick={() => save(board)}>
          {texts.json}
        </Button>
      </div>
      <section className={styles.part}>
        <h3>{texts.call}</h3>
        <p className={styles.soft}>{texts.callText}</p>
        <Tabs label={texts.call} value={language} onChange={setLanguage} tabs={texts.languages}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre className={styles.code} tabIndex={0}>
            {code}
          </pre>
          <div className={styles.copy}>
            <CopyButton text={code} label={texts.copy} />
          </div>
        </Tabs>
      </section>
    </Dialog>
  );
}

/** What the input nodes have now, as a run takes it. */
function inputsOf({ nodes }: Board): Readonly<Record<string, unknown>> {
  const inputs = nodes.filter(({ data }) => data.nodeType.startsWith('input:'));
  return Object.fromEntries(
    inputs.flatMap(({ id, data: { config = {} } }) => {
      const value =
        config.value ?? config.url ?? config.items ?? (config.mediaId && { mediaId: config.mediaId });
      return value === undefined ? [] : [[id, value]];
    }),
  );
}

/** The board as it is on the screen, saved or not. */
function save({ fields, nodes, edges }: Board): void {
  const file = new Blob([JSON.stringify({ ...fields, nodes, edges }, null, 2)], { type: 'application/json' });
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = `${String(fields.name ?? 'workflow').replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.json`;
  link.click();
  URL.revokeObjectURL(url);
}
