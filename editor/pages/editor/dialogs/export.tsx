// Renders the export dialog: downloads, and code that runs the workflow with its current inputs.

import Download from 'icon:download';
import { useState } from 'react';
import { getInputNames } from '../../../../src/graph/input-names.ts';
import { isInputNode } from '../../../../src/graph/input-nodes.ts';
import type { Board } from '../../../board/board.ts';
import type { OpenBoard } from '../../../board/open-board.ts';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { showError } from '../../../kit/failure.tsx';
import formStyles from '../../../kit/form.module.css';
import { Tabs } from '../../../kit/tabs.tsx';
import { useBoard, useEditor, useRun } from '../../../session/editor-context.tsx';
import { usesSample } from '../../../session/runs/estimate.ts';
import { downloadBoard, renderBoardPng, renderBoardSvg, toBoardJson } from './board-image.ts';
import { GENERATORS, type Language } from './call-code.ts';
import styles from './dialogs.module.css';
import { dialogMessages } from './messages.ts';

const exportMessages = dialogMessages.exports;

export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const { session } = useEditor();
  const board = useBoard(state => state.board);
  const samples = useRun(state => state.samples);
  const exportAs = async (board: Board, extension: string, render: RenderExport): Promise<void> => {
    try {
      downloadBoard(board, await render(session, board), extension);
    } catch (error) {
      showError(error);
    }
  };
  const [language, setLanguage] = useState<Language>('curl');
  const code = GENERATORS[language]({
    origin: location.origin,
    workflowId: session.id,
    inputs: getInputs(board),
    usesSample: usesSample(samples),
  });
  return (
    <Dialog title={exportMessages.title} onClose={onClose}>
      <div className={styles.buttons}>
        {FORMATS.map(({ extension, label, render }) => (
          <Button key={extension} icon={Download} onClick={() => void exportAs(board, extension, render)}>
            {label}
          </Button>
        ))}
      </div>
      <section className={styles.part}>
        <h3>{exportMessages.call}</h3>
        <p className={formStyles.muted}>{exportMessages.callText}</p>
        <Tabs
          label={exportMessages.call}
          value={language}
          onChange={setLanguage}
          tabs={exportMessages.languages}
        >
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre className={formStyles.code} tabIndex={0}>
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

type RenderExport = (session: OpenBoard, board: Board) => Blob | Promise<Blob>;

const FORMATS: readonly {
  readonly extension: string;
  readonly label: string;
  readonly render: RenderExport;
}[] = [
  {
    extension: 'json',
    label: exportMessages.json,
    render: (_, board) => new Blob([toBoardJson(board)], { type: 'application/json' }),
  },
  { extension: 'png', label: exportMessages.png, render: renderBoardPng },
  {
    extension: 'svg',
    label: exportMessages.svg,
    render: (session, board) => new Blob([renderBoardSvg(session, board)], { type: 'image/svg+xml' }),
  },
];

/** Returns the current values of the input nodes as inputs of a run request, by name. */
function getInputs({ nodes }: Board): Readonly<Record<string, unknown>> {
  const inputs = nodes.filter(isInputNode);
  const names = getInputNames(nodes);
  return Object.fromEntries(
    inputs.flatMap(({ id, data: { config = {} } }) => {
      const value =
        config.value ?? config.url ?? config.items ?? (config.mediaId && { mediaId: config.mediaId });
      return value === undefined ? [] : [[names.get(id) ?? id, value]];
    }),
  );
}
