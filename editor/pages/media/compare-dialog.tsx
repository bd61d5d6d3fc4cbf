// Renders two files on top of each other or side by side, with the facts that differ.
import type { MediaItem } from '../../../sdk/src/schemas.ts';
import { Comparison } from '../../kit/comparison.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { DifferenceTable } from '../../kit/difference-table.tsx';
import { getMediaKind } from '../../kit/media-kind.ts';
import { MediaView } from '../../kit/media-view.tsx';
import { messages } from './messages.ts';

export interface CompareDialogProps {
  readonly items: readonly [MediaItem, MediaItem];
  readonly onClose: () => void;
}

export function CompareDialog({ items, onClose }: CompareDialogProps) {
  const [before, after] = items;
  const isVisual = items.every(item => ['image', 'video'].includes(getMediaKind(item) ?? ''));
  return (
    <Dialog title={messages.compareTitle} size="l" onClose={onClose}>
      {isVisual ? (
        <Comparison
          label={messages.compareSlider}
          before={{ ...before, label: before.name }}
          after={{ ...after, label: after.name }}
        />
      ) : (
        items.map(item => <MediaView key={item.mediaId} {...item} label={item.name} />)
      )}
      <Differences items={items} />
    </Dialog>
  );
}

function Differences({ items }: Pick<CompareDialogProps, 'items'>) {
  const [before, after] = items.map(toFacts);
  const differing = Object.keys(before ?? {}).filter(name => before?.[name] !== after?.[name]);
  if (differing.length === 0) return null;
  return (
    <DifferenceTable
      headings={[messages.differs, items[0].name, items[1].name]}
      rows={differing.map(name => [name, before?.[name], after?.[name]])}
    />
  );
}

function toFacts({ prompt, model, seed, workflow, width, height }: MediaItem) {
  const { facts, pixels } = messages;
  return {
    [facts.prompt]: prompt,
    [facts.model]: model?.label ?? null,
    [facts.seed]: seed,
    [facts.workflow]: workflow?.name ?? null,
    [facts.pixels]: width && height && pixels(width, height),
  } as Readonly<Record<string, string | number | null>>;
}
