// Shows the differences between the board and a version: the numbers of changes, and the names of removed nodes.

import { Banner } from '../../../kit/banner.tsx';
import { Button } from '../../../kit/button.tsx';
import { useBoard, useEditor, useView } from '../../../session/editor-context.tsx';
import styles from './banners.module.css';
import { bannerMessages } from './messages.ts';

const diffMessages = bannerMessages.diff;
const MAX_NAMES = 8;

export function DiffBanner() {
  const { view, canvas } = useEditor();
  const diff = useView(state => state.diff);
  // The comparison is out of date once the board has changed.
  const isOutdated = useBoard(({ board }) => diff !== undefined && board !== diff.board);
  if (diff === undefined) return null;
  const { version, difference } = diff;
  const counts = Map.groupBy(difference.statuses.values(), status => status);
  const { added, removed } = difference.edges;
  const close = (): void => {
    view.setState({ diff: undefined });
    canvas.current?.focus();
  };
  const names = difference.removed.map(({ data }) => data.label);
  return (
    <Banner
      label={diffMessages.title}
      actions={
        <Button size="s" onClick={close}>
          {diffMessages.done}
        </Button>
      }
      details={
        names.length > 0 && (
          <p className={styles.muted}>
            {diffMessages.removed(
              names.slice(0, MAX_NAMES).join(', '),
              Math.max(0, names.length - MAX_NAMES),
            )}
          </p>
        )
      }
    >
      <p>
        <strong>{diffMessages.since(version)}</strong>{' '}
        {diffMessages.counts({
          added: counts.get('added')?.length ?? 0,
          changed: counts.get('changed')?.length ?? 0,
          moved: counts.get('moved')?.length ?? 0,
          removed: difference.removed.length,
          edges: added + removed,
        })}
        {isOutdated && ` ${diffMessages.outdated}`}
      </p>
    </Banner>
  );
}
