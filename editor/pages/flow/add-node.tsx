// Renders "Add node": the catalog as a searchable palette, filtered by the open end of a connection.
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import type { Placement } from '../../board/placement.ts';
import { placeNode } from '../../board/placement.ts';
import { findFittingPort } from '../../board/wiring.ts';
import { drawNodeIcon } from '../../canvas/node-icon.ts';
import { messages } from '../../flow-messages.ts';
import { type Choice, Chooser } from '../../kit/chooser.tsx';
import { VisuallyHidden } from '../../kit/visually-hidden.tsx';
import { formatNumber } from '../../lib/format.ts';
import { type EditorContextValue, useEditor } from '../../runs/editor-context.tsx';
import { ChoicePicture } from './choice-picture.tsx';
import { favoriteTypes, recentTypes, remember } from './recent.ts';

const flowMessages = messages.flow;

interface AddNodeProps {
  readonly placement: Placement;
  readonly text?: string | undefined;
  readonly onClose: () => void;
}

export function AddNode({ placement, text: first = '', onClose }: AddNodeProps) {
  const editor = useEditor();
  const entries = offered(editor, placement);
  const choose = (nodeType: string): void => {
    const entry = editor.session.catalog.find(nodeType);
    onClose();
    if (entry !== undefined) addNode(editor, entry, placement);
  };
  return (
    <Chooser
      title={flowMessages.addNode}
      placeholder={flowMessages.searchNodes}
      text={first}
      find={text => findEntries(entries, text)}
      onChoose={choose}
      onClose={onClose}
    />
  );
}

/** Adds the node, selects it and focuses it. */
export function addNode(editor: EditorContextValue, entry: CatalogEntry, placement: Placement): void {
  const { session, canvas } = editor;
  const middle = canvas.current?.center() ?? { x: 0, y: 0 };
  const { id, changes } = placeNode(session, entry, placement, middle);
  session.store.actions.perform(flowMessages.edits.add(entry.label), changes);
  session.store.actions.select([id]);
  remember(entry.nodeType);
  requestAnimationFrame(() => canvas.current?.focusNode(id));
}

function offered({ session }: EditorContextValue, { from }: Placement): readonly CatalogEntry[] {
  const { catalog, store } = session;
  const visible = catalog.entries.filter(({ hidden, deprecated }) => !hidden && !deprecated);
  if (from === undefined) return visible;
  const { board } = store.getState();
  return visible.filter(entry => findFittingPort(catalog, board, entry, from) !== undefined);
}

const ORDER = ['input', 'model', 'video', 'utility', 'logic', 'output'];

function findEntries(entries: readonly CatalogEntry[], text: string): readonly Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > 0)
    return entries
      .map(entry => ({ entry, score: scoreOf(entry, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ entry }) => toChoice(entry, undefined));
  const findAll = (types: readonly string[]): readonly CatalogEntry[] =>
    types.flatMap(type => entries.find(({ nodeType }) => nodeType === type) ?? []);
  const favorites = findAll(favoriteTypes());
  const recent = findAll(recentTypes()).filter(entry => !favorites.includes(entry));
  const known = new Set([...favorites, ...recent]);
  const rest = entries
    .filter(entry => !known.has(entry))
    .sort((a, b) => ORDER.indexOf(a.category) - ORDER.indexOf(b.category));
  return [
    ...favorites.map(entry => toChoice(entry, flowMessages.favorites)),
    ...recent.map(entry => toChoice(entry, flowMessages.recent)),
    ...rest.map(entry => toChoice(entry, flowMessages.categories[entry.category])),
  ];
}

/** All words must match. The label counts most, and its beginning more. */
function scoreOf(entry: CatalogEntry, words: readonly string[]): number {
  const fields: readonly (readonly [text: string, weight: number])[] = [
    [entry.label.toLowerCase(), 8],
    [entry.nodeType.toLowerCase().replaceAll('_', ' '), 5],
    [entry.category, 2],
    [(entry.description ?? '').toLowerCase(), 1],
    [(entry.priceSource ?? '').toLowerCase(), 1],
  ];
  const scores = words.map(word =>
    Math.max(
      0,
      ...fields.map(([text, weight]) => (text.includes(word) ? weight * (text.startsWith(word) ? 2 : 1) : 0)),
    ),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

function toChoice(entry: CatalogEntry, section: string | undefined): Choice {
  return {
    id: entry.nodeType,
    label: entry.label,
    detail: (
      <>
        {entry.description ?? entry.nodeType}
        <VisuallyHidden> ({drawNodeIcon(entry).name})</VisuallyHidden>
      </>
    ),
    hint: priceOf(entry),
    icon: <ChoicePicture entry={entry} />,
    ...(section === undefined ? {} : { section }),
  };
}

/** Price of one run with default settings; nothing for free nodes. */
export function priceOf({ executionCost, estimatedCredits }: CatalogEntry): string | undefined {
  if (executionCost === 'free') return undefined;
  return estimatedCredits === null
    ? flowMessages.priceVaries
    : flowMessages.credits(estimatedCredits, formatNumber(estimatedCredits));
}
