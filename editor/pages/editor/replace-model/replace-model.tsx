// Renders a dialog that replaces the model of a node by another one for the same result, and says what would be lost.

import { type CatalogEntry, isModel } from '../../../../src/graph/catalog.ts';
import { searchNodes } from '../../../../src/graph/search-nodes.ts';
import { findNode } from '../../../board/board.ts';
import { type Replacement, replaceType } from '../../../board/replace-type.ts';
import { messages } from '../../../flow-messages.ts';
import { type Choice, Chooser } from '../../../kit/chooser.tsx';
import { formatDuration, formatNames } from '../../../lib/format.ts';
import { showToast } from '../../../lib/toasts.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { formatEntryPrice } from '../add-node/add-node.tsx';
import { ChoiceImage } from '../add-node/choice-image.tsx';
import { saveRecentType } from '../add-node/palette-storage.ts';
import { replaceMessages } from './messages.ts';
import styles from './replace-model.module.css';

const flowMessages = messages.flow;

interface ReplaceModelProps {
  readonly nodeId: string;
  readonly onClose: () => void;
}

export function ReplaceModel({ nodeId, onClose }: ReplaceModelProps) {
  const { session, canvas } = useEditor();
  const { catalog, store } = session;
  const { board } = store.getState();
  const node = findNode(board, nodeId);
  const current = catalog.find(node?.data.nodeType ?? '');
  if (node === undefined || current === undefined) return null;
  const candidates = listCandidates(catalog.entries, current);
  const plan = (nodeType: string): Replacement | undefined => {
    const entry = catalog.find(nodeType);
    return entry && replaceType(board, catalog, node, entry);
  };
  const choose = (nodeType: string): void => {
    const replacement = plan(nodeType);
    const label = catalog.find(nodeType)?.label ?? nodeType;
    onClose();
    if (replacement === undefined) return;
    saveRecentType(nodeType);
    store.actions.perform(replaceMessages.edit(label), replacement.changes);
    const losses = describeLosses(replacement);
    if (losses !== undefined) showToast(losses);
    canvas.current?.focusNode(nodeId);
  };
  return (
    <Chooser
      title={replaceMessages.title(current.label)}
      placeholder={replaceMessages.search}
      findChoices={text => searchNodes(candidates, text).map(entry => toChoice(entry, current, text))}
      onChoose={choose}
      onClose={onClose}
      renderFooter={({ id }) => {
        const replacement = plan(id);
        return (
          <p className={styles.footer} role="status">
            {(replacement && describeLosses(replacement)) ?? replaceMessages.nothingLost}
          </p>
        );
      }}
    />
  );
}

function describeLosses({ lostConnections, lostSettings }: Replacement): string | undefined {
  const { connections, settings } = replaceMessages;
  const parts = [
    ...(lostConnections.length === 0
      ? []
      : [connections(lostConnections.length, formatNames([...new Set(lostConnections)]))]),
    ...(lostSettings.length === 0 ? [] : [settings(formatNames(lostSettings))]),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Lists the models with the same kind of result: first those for the same task, and of them first the same family. */
function listCandidates(entries: readonly CatalogEntry[], current: CatalogEntry): readonly CatalogEntry[] {
  const type = current.outputs[0]?.type;
  const rank = (entry: CatalogEntry): number =>
    Number(entry.isAvailable === false) * 4 +
    Number(entry.task !== current.task) * 2 +
    Number(entry.family !== current.family);
  return entries
    .filter(
      entry =>
        isModel(entry) &&
        entry.nodeType !== current.nodeType &&
        entry.deprecated !== true &&
        (entry.hidden !== true || entry.isAvailable === false) &&
        entry.outputs[0]?.type === type,
    )
    .sort((a, b) => rank(a) - rank(b));
}

function toChoice(entry: CatalogEntry, current: CatalogEntry, text: string): Choice {
  const isMissing = entry.isAvailable === false;
  const facts = [
    formatEntryPrice(entry) ?? flowMessages.free,
    entry.medianSeconds == null ? undefined : flowMessages.about(formatDuration(entry.medianSeconds * 1000)),
    isMissing ? flowMessages.needsProvider : undefined,
  ];
  return {
    id: entry.nodeType,
    label: entry.label,
    detail: replaceMessages.model(entry.family ?? '', entry.task ?? 'make'),
    hint: facts.filter(Boolean).join(' · '),
    icon: <ChoiceImage entry={entry} />,
    ...(isMissing ? { isDimmed: true as const } : {}),
    ...(text.trim() === '' ? { section: findSection(entry, current) } : {}),
  };
}

function findSection(entry: CatalogEntry, current: CatalogEntry): string {
  const { sections } = replaceMessages;
  if (entry.isAvailable === false) return flowMessages.modelsOfProviders;
  if (entry.task !== current.task) return sections.otherTasks;
  return entry.family === current.family ? sections.family(current.family ?? '') : sections.task;
}
