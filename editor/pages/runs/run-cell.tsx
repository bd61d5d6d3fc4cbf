// Renders the first cell of a run in a list: its picture, its workflow, and the beginning of its inputs.

import FileText from 'icon:file-text';
import Layers from 'icon:layers';
import { Link } from 'wouter';
import type { ExecutionListItem } from '../../../sdk/src/schemas.ts';
import { getMediaKind } from '../../kit/media-kind.ts';
import { Thumbnail } from '../../kit/media-view.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';

interface RunCellProps {
  readonly run: Pick<ExecutionListItem, 'preview' | 'batch'>;
  readonly workflowName: string;
  /** The address of the run; undefined if the user may not open it. */
  readonly href: string | undefined;
}

/** A batch opens its page, which has a row for each run. */
export function RunCell({ run: { preview, batch }, workflowName, href }: RunCellProps) {
  const target = batch === null ? href : `/batches/${batch.id}`;
  const inputs = (preview?.inputs ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]));
  const texts = (preview?.outputs ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]));
  const details = batch === null ? (inputs.length > 0 ? inputs : texts).join(' · ') : messages.batch;
  return (
    <div className={styles.run}>
      <div className={styles.thumbnail} data-batch={batch !== null || undefined}>
        <Picture preview={preview} isBatch={batch !== null} />
      </div>
      <div className={styles.texts}>
        {target === undefined ? (
          <span className={styles.name}>{workflowName}</span>
        ) : (
          <Link className={styles.name} href={target}>
            {workflowName}
          </Link>
        )}
        {details !== '' && (
          <span className={styles.details} title={details}>
            {details}
          </span>
        )}
      </div>
    </div>
  );
}

function Picture({
  preview,
  isBatch,
}: {
  readonly preview: ExecutionListItem['preview'];
  readonly isBatch: boolean;
}) {
  const values = [...(preview?.outputs ?? []), ...(preview?.inputs ?? [])];
  for (const { url, contentType, posterUrl } of values)
    if (url !== undefined && ['image', 'video'].includes(getMediaKind({ url, contentType }) ?? ''))
      return <Thumbnail url={url} contentType={contentType} posterUrl={posterUrl} />;
  return isBatch ? <Layers size={18} /> : <FileText size={18} />;
}
