// Renders the palette for adding nodes. For a connection that is being made, lists only the types that fit it.

import Key from 'icon:key-round';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { CatalogEntry } from '../../../../src/graph/catalog.ts';
import { COMPONENT_CALL } from '../../../../src/graph/components/calls.ts';
import { searchNodes } from '../../../../src/graph/search-nodes.ts';
import type { JsonObject, Position } from '../../../../src/graph/types.ts';
import { findNode } from '../../../board/board.ts';
import { getNodeRect } from '../../../board/node-size.ts';
import type { Placement } from '../../../board/placement.ts';
import { placeNode } from '../../../board/placement.ts';
import { findFittingPort } from '../../../board/wiring.ts';
import { drawNodeIcon } from '../../../canvas/node-icon.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { type Choice, Chooser } from '../../../kit/chooser.tsx';
import { showError } from '../../../kit/failure.tsx';
import { VisuallyHidden } from '../../../kit/visually-hidden.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { useProviderKeysHref } from '../../../lib/session.ts';
import { createCallConfig } from '../../../session/components.ts';
import { type EditorContextValue, useEditor } from '../../../session/editor-context.tsx';
import { useComponents } from '../component/use-components.ts';
import styles from './add-node.module.css';
import { ChoiceImage } from './choice-image.tsx';
import { readFavoriteTypes, readRecentTypes, saveRecentType } from './palette-storage.ts';

const flowMessages = messages.flow;

interface AddNodeProps {
  readonly placement: Placement;
  readonly text?: string | undefined;
  readonly onClose: () => void;
}

export function AddNode({ placement, text: initialText = '', onClose }: AddNodeProps) {
  const editor = useEditor();
  const [text, setText] = useState(initialText);
  const entries = usePaletteEntries(text, placement);
  const choose = (nodeType: string): void => {
    const entry = entries.find(item => item.nodeType === nodeType);
    onClose();
    if (entry !== undefined) insertEntry(editor, entry, placement);
  };
  return (
    <Chooser
      title={flowMessages.addNode}
      placeholder={flowMessages.searchNodes}
      text={initialText}
      findChoices={(typed, filter) => findEntries(entries, typed, filter)}
      onText={setText}
      position={findScreenPosition(editor, placement)}
      filters={{ '': flowMessages.allNodes, ...flowMessages.categories }}
      emptyHints={{ component: flowMessages.noComponents }}
      toolbar={
        <Button
          size="s"
          onClick={() => editor.view.setState({ panel: { kind: 'choose-model', placement, text } })}
        >
          {flowMessages.browseModels}
        </Button>
      }
      onChoose={choose}
      onClose={onClose}
      renderFooter={({ id, label }) => {
        const provider = editor.session.catalog.find(id)?.provider;
        if (provider === undefined) return undefined;
        return (
          <footer className={styles.footer}>
            <MissingKey label={label} provider={provider} />
          </footer>
        );
      }}
    />
  );
}

interface MissingKeyProps {
  /** The name of the node type. */
  readonly label: string;
  readonly provider: string;
}

/** Renders the hint that a node type needs a key, with a link to the page where this user can add a key. */
export function MissingKey({ label, provider }: MissingKeyProps) {
  const href = useProviderKeysHref(provider);
  const providerLabel = messages.provider(provider);
  const { text, ask, addKey } = flowMessages.missingKeys;
  return (
    <div className={styles.missingKey}>
      <p>
        {text(label, 1, providerLabel)} {href === undefined && ask}
      </p>
      {href !== undefined && (
        <ButtonLink size="s" icon={Key} href={href}>
          {addKey(providerLabel)}
        </ButtonLink>
      )}
    </div>
  );
}

/** Adds a node, or a call of the component, and selects and focuses the node. */
export function insertEntry(editor: EditorContextValue, entry: PaletteEntry, placement: Placement): void {
  const { component } = entry;
  const definition = editor.session.catalog.find(component === undefined ? entry.nodeType : COMPONENT_CALL);
  if (definition === undefined) return;
  saveRecentType(entry.nodeType);
  if (component === undefined) addNode(editor, definition, placement);
  else
    createCallConfig(component.workflowId).then(
      config => addNode(editor, { ...definition, label: config.name }, placement, config),
      showError,
    );
}

function addNode(
  editor: EditorContextValue,
  entry: CatalogEntry,
  placement: Placement,
  config: JsonObject = {},
): void {
  const { session, canvas } = editor;
  const { id, changes } = placeNode(session, entry, placement, getDefaultPosition(editor), config);
  // Renders the node now, so that the next key goes to it.
  flushSync(() => {
    session.store.actions.perform(flowMessages.edits.add(entry.label), changes);
    session.store.actions.select([id]);
  });
  canvas.current?.focusNode(id);
}

/**
 * Returns the position of the palette: at the placement, or else at the pointer. Undefined if the button opened it.
 */
function findScreenPosition({ canvas }: EditorContextValue, { position }: Placement): Position | undefined {
  return position === undefined ? canvas.current?.getPointerPosition() : canvas.current?.toScreen(position);
}

/** Returns the position for a new node: to the right of the selected node, or else the center of the view. */
function getDefaultPosition({ session, canvas }: EditorContextValue): Position {
  const { board, selection } = session.store.getState();
  const [id = ''] = selection;
  const selectedNode = selection.size === 1 ? findNode(board, id) : undefined;
  if (selectedNode === undefined) return canvas.current?.getCenter() ?? { x: 0, y: 0 };
  const { x, y, width, height } = getNodeRect(selectedNode, session.catalog);
  return { x: x + width + OFFSET_RIGHT, y: y + height / 2 };
}

const OFFSET_RIGHT = 220;

/** A node type or a component in the palette. */
export interface PaletteEntry extends Omit<CatalogEntry, 'category'> {
  readonly category: CatalogEntry['category'] | 'component';
  readonly component?: { readonly workflowId: string; readonly poster: string | undefined };
}

/** Returns the node types that fit the placement, and the components that match the text. */
export function usePaletteEntries(text: string, placement: Placement): readonly PaletteEntry[] {
  const editor = useEditor();
  // The ports of a component are read when it is chosen.
  return [...useComponents(text), ...findAvailableEntries(editor, placement)];
}

function findAvailableEntries({ session }: EditorContextValue, { from }: Placement): readonly CatalogEntry[] {
  const { catalog, store } = session;
  const visibleEntries = catalog.entries.filter(
    ({ nodeType, hidden, deprecated, isAvailable, runsLocally }) =>
      nodeType !== COMPONENT_CALL &&
      !deprecated &&
      // A key does not make a node available that runs on this machine.
      (!hidden || (isAvailable === false && !runsLocally)),
  );
  if (from === undefined) return visibleEntries;
  const { board } = store.getState();
  return visibleEntries.filter(entry => findFittingPort(catalog, board, entry, from) !== undefined);
}

const CATEGORY_ORDER = ['component', 'input', 'model', 'video', 'utility', 'logic', 'output'];

export function findEntries(all: readonly PaletteEntry[], text: string, filter: string): readonly Choice[] {
  const entries = filter === '' ? all : all.filter(({ category }) => category === filter);
  if (text.trim() !== '') return searchNodes(entries, text).map(entry => toChoice(entry, undefined));
  const findAll = (types: readonly string[]): readonly PaletteEntry[] =>
    types.flatMap(type => entries.find(({ nodeType }) => nodeType === type) ?? []);
  const favorites = findAll(readFavoriteTypes());
  const recent = findAll(readRecentTypes()).filter(entry => !favorites.includes(entry));
  const listed = new Set([...favorites, ...recent]);
  const remaining = entries
    .filter(entry => !listed.has(entry))
    .sort(
      (a, b) =>
        Number(needsProvider(a)) - Number(needsProvider(b)) ||
        CATEGORY_ORDER.indexOf(a.category) - CATEGORY_ORDER.indexOf(b.category),
    );
  return [
    ...favorites.map(entry => toChoice(entry, flowMessages.favorites)),
    ...recent.map(entry => toChoice(entry, flowMessages.recent)),
    ...remaining.map(entry =>
      toChoice(
        entry,
        needsProvider(entry) ? flowMessages.modelsOfProviders : flowMessages.categories[entry.category],
      ),
    ),
  ];
}

/**
 * Returns whether the node needs a provider that is not set up. The palette lists such nodes, because an administrator
 * can set up the provider.
 */
const needsProvider = ({ isAvailable }: PaletteEntry): boolean => isAvailable === false;

const getReason = ({ policyReason }: PaletteEntry): string =>
  policyReason === undefined ? flowMessages.needsProvider : flowMessages.notAllowed;

/** Says the types of the ports, which the icon shows. */
const PortTypes = ({ entry }: { readonly entry: PaletteEntry }) => (
  <VisuallyHidden> ({drawNodeIcon(entry).label})</VisuallyHidden>
);

function toChoice(entry: PaletteEntry, section: string | undefined): Choice {
  return {
    id: entry.nodeType,
    label: entry.label,
    detail: (
      <>
        {entry.description || (entry.component === undefined ? entry.nodeType : flowMessages.component)}
        {entry.component === undefined && <PortTypes entry={entry} />}
      </>
    ),
    hint: needsProvider(entry)
      ? [formatEntryPrice(entry), getReason(entry)].filter(Boolean).join(' · ')
      : entry.runsLocally
        ? flowMessages.runsLocally
        : formatEntryPrice(entry),
    ...(needsProvider(entry) ? { isDimmed: true as const } : {}),
    icon: <ChoiceImage entry={entry} />,
    ...(section === undefined ? {} : { section }),
  };
}

/** Returns the price of one run with default settings, or undefined for free nodes. */
export function formatEntryPrice({
  executionCost,
  estimatedCredits,
}: Pick<CatalogEntry, 'executionCost' | 'estimatedCredits'>): string | undefined {
  if (executionCost === 'free') return undefined;
  return estimatedCredits === null
    ? flowMessages.priceVaries
    : flowMessages.credits(estimatedCredits, formatNumber(estimatedCredits));
}
