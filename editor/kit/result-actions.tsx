// Renders the actions that every result has, wherever it appears: download, copy, and open its run.
import Download from 'icon:download';
import History from 'icon:history';
import type { ReactNode } from 'react';
import { messages } from '../messages.ts';
import { Button, ButtonAnchor, ButtonLink } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import styles from './result-actions.module.css';

const { download, copy, copyAddress, openRun, resultActions } = messages.common;

export interface ResultActionsProps {
  /** The address of a file, or else the text of the result. */
  readonly url?: string | undefined;
  readonly text?: string | undefined;
  /** The address that downloads the file. Default: its own. */
  readonly downloadUrl?: string | undefined;
  /** The run that made the result. */
  readonly executionId?: string | null | undefined;
  /** Actions of the place where the result appears. */
  readonly children?: ReactNode;
}

export function ResultActions({
  url,
  text = '',
  downloadUrl = url,
  executionId,
  children,
}: ResultActionsProps) {
  return (
    <fieldset className={styles.actions} aria-label={resultActions}>
      {downloadUrl === undefined ? (
        <Button size="s" icon={Download} onClick={() => saveText(text)}>
          {download}
        </Button>
      ) : (
        <ButtonAnchor size="s" icon={Download} href={downloadUrl} download="">
          {download}
        </ButtonAnchor>
      )}
      <CopyButton text={url ?? text} label={url === undefined ? copy : copyAddress} size="s" isLabeled />
      {children}
      {executionId != null && (
        <ButtonLink size="s" icon={History} href={`/executions/${executionId}`}>
          {openRun}
        </ButtonLink>
      )}
    </fieldset>
  );
}

function saveText(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'result.txt';
  link.click();
  URL.revokeObjectURL(url);
}
