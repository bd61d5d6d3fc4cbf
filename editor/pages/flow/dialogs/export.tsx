// Renders the export dialog: file, images, and code that runs the workflow with the current inputs.

import Download from 'icon:download';
import { useState } from 'react';
import type { Board } from '../../../board/board.ts';
import type { BoardSession } from '../../../board/session.ts';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { showToast } from '../../../lib/toasts.ts';
import { useBoard, useEditor } from '../../../runs/editor-context.tsx';
import { boardJson, boardPng, boardSvg, saveBoard } from './board-picture.ts';
import { CODE, type Language } from './call-code.ts';
import styles from './dialogs.module.css';

const exportMessages = messages.flow.exports;

export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const { session } = useEditor();
  const board = useBoard(state => state.board);
  const save = async (what: Board, ending: string, make: Make): Promise<void> => {
    try {
      saveBoard(what, await make(session, what), ending);
    } catch (error) {
      showToast(toErrorMessage(error), { tone: 'failed' });
    }
  };
  const [language, setLanguage] = useState<Language>('curl');
  const code = CODE[language]({ origin: location.origin, workflowId: session.id, inputs: inputsOf(board) });
  return (
    <Dialog title={exportMessages.title} onClose={onClose}>
      <div className={styles.buttons}>
        {FORMATS.map(({ ending, label, make }) => (
          <Button key={ending} icon={Download} onClick={() => void save(board, ending, make)}>
            {label}
          </Button>
        ))}
      </div>
      <section className={styles.part}>
        <h3>{exportMessages.call}</h3>
        <p className={styles.soft}>{exportMessages.callText}</p>
        <Tabs
          label={exportMessages.call}
          value={language}
          onChange={setLanguage}
          tabs={exportMessages.languages}
        >
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre className={styles.code} tabIndex={0}>
            {code}
          </pre>
          <div className={styles.copy}>
            <CopyButton text={code} label={exportMessages.copy} />
          </div>
        </Tabs>
      </section>
    </Dialog>
  );
}

type Make = (session: BoardSession, board: Board) => Blob | Promise<Blob>;

const FORMATS: readonly { readonly ending: string; readonly label: string; readonly make: Make }[] = [
  {
    ending: 'json',
    label: exportMessages.json,
    make: (_, board) => new Blob([boardJson(board)], { type: 'application/json' }),
  },
  { ending: 'png', label: exportMessages.png, make: boardPng },
  {
    ending: 'svg',
    label: exportMessages.svg,
    make: (session, board) => new Blob([boardSvg(session, board)], { type: 'image/svg+xml' }),
  },
];

/** Returns the current values of the input nodes in the form that a run expects. */
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
