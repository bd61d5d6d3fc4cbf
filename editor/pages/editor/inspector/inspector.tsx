// Renders the inspector of the selected node: name, settings, connected inputs, result.

import ChevronsUpDown from 'icon:chevrons-up-down';
import Ellipsis from 'icon:ellipsis';
import Pin from 'icon:pin';
import Bypass from 'icon:redo-dot';
import Star from 'icon:star';
import Close from 'icon:x';
import { useState } from 'react';
import { isBypassed } from '../../../../src/graph/bypass.ts';
import { type CatalogEntry, type InputDef, isCanvasOnly } from '../../../../src/graph/catalog.ts';
import { isComponentCall } from '../../../../src/graph/components/calls.ts';
import { isNamedInput } from '../../../../src/graph/input-names.ts';
import type { GraphNode } from '../../../../src/graph/types.ts';
import { findNode } from '../../../board/board.ts';
import { getPorts } from '../../../board/catalog.ts';
import { getControlKind } from '../../../board/control-kind.ts';
import { setData, setLabel } from '../../../board/edits.ts';
import { getCategory } from '../../../canvas/colors.ts';
import { getCommand } from '../../../canvas/commands.ts';
import { CategoryIcon } from '../../../canvas/icons.tsx';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { lazyComponent } from '../../../lib/lazy-component.ts';
import { PHONE, useMediaQuery } from '../../../lib/use-visibility.ts';
import { useBoard, useEditor, useNodeRun, useRun } from '../../../session/editor-context.tsx';
import { NodeLastRun } from '../../../session/runs/node-last-run.tsx';
import { getPin } from '../../../session/runs/pins.ts';
import { isRunning } from '../../../session/runs/run-store.ts';
import { formatEntryPrice } from '../add-node/add-node.tsx';
import { readFavoriteTypes, toggleFavorite } from '../add-node/palette-storage.ts';
import { InputField } from './input-field.tsx';
import { InputName } from './input-name.tsx';
import styles from './inspector.module.css';
import { LongText } from './long-text.tsx';
import { NodeIssues } from './node-issues.tsx';

const ComponentFields = lazyComponent<{ readonly node: GraphNode }>(
  async () => (await import('./component-fields.tsx')).ComponentFields,
);

const ComfyFields = lazyComponent<{ readonly node: GraphNode }>(
  async () => (await import('../comfyui/comfy-fields.tsx')).ComfyFields,
);

const VideoFields = lazyComponent<{ readonly node: GraphNode; readonly inputs: readonly InputDef[] }>(
  async () => (await import('./video-fields.tsx')).VideoFields,
);

const flowMessages = messages.flow;
const replaceModel = getCommand('replace-model');

/** Renders the inspector while a single node is selected. */
export function Inspector() {
  const node = useBoard(({ board, selection }) =>
    selection.size === 1 ? findNode(board, [...selection][0] ?? '') : undefined,
  );
  if (node === undefined) return null;
  return <NodeInspector key={node.id} node={node} />;
}

function NodeInspector({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const { session, canvas } = editor;
  const { catalog, store } = session;
  const entry = catalog.find(node.data.nodeType);
  const { inputs } = getPorts(catalog, node);
  // Its ports have values of the graph, which only the late part knows.
  const isComfy = node.data.nodeType === 'comfyui:workflow';
  // The sheet of a phone has space for a field or two: those that set what the node does come first.
  const isPhone = useMediaQuery(PHONE);
  const names = (
    <>
      <div data-rename>
        <Label node={node} />
      </div>
      {isNamedInput(node) && <InputName node={node} />}
    </>
  );
  const close = (): void => {
    store.actions.select([]);
    canvas.current?.focus();
  };
  return (
    <aside
      className={styles.inspector}
      aria-label={flowMessages.inspector}
      data-focus-region="inspector"
      onKeyDown={event => {
        // A dialog of a field closes by itself.
        const isInDialog = (event.target as Element).closest('dialog') !== null;
        if (event.key !== 'Escape' || event.defaultPrevented || isInDialog) return;
        event.preventDefault();
        canvas.current?.focusNode(node.id);
      }}
    >
      <header className={styles.head}>
        <CategoryIcon category={getCategory({ node, entry })} />
        <h2>{entry?.label ?? flowMessages.unknownType(node.data.nodeType)}</h2>
        {entry && <span className={styles.price}>{formatEntryPrice(entry)}</span>}
        {entry && !isComponentCall(node) && <FavoriteButton nodeType={entry.nodeType} />}
        <NodeMenuButton />
        <IconButton size="s" icon={Close} label={flowMessages.closeInspector} onClick={close} />
      </header>
      <div className={styles.body}>
        {entry?.description !== undefined && !isComponentCall(node) && (
          <p className={styles.description}>{entry.description}</p>
        )}
        {entry?.runsLocally && <LocalModel entry={entry} />}
        {entry !== undefined && replaceModel.isAvailable?.(editor) && (
          <div className={styles.model}>
            <span>{flowMessages.model}</span>
            <button
              type="button"
              aria-haspopup="dialog"
              aria-label={`${entry.label}: ${replaceModel.label}`}
              onClick={() => replaceModel.run(editor)}
            >
              {entry.label}
              <ChevronsUpDown size={15} aria-hidden />
            </button>
          </div>
        )}
        <NodeIssues node={node} />
        {!isPhone && names}
        {isComponentCall(node) ? (
          <ComponentFields node={node} />
        ) : node.data.nodeType === 'video:renderer' ? (
          <VideoFields node={node} inputs={inputs.filter(hasField)} />
        ) : (
          inputs
            .filter(input => hasField(input) && !(isComfy && input.isPort))
            .map(input => <InputField key={input.id} node={node} input={input} />)
        )}
        {isComfy && <ComfyFields node={node} />}
        {isPhone && names}
        <Note node={node} />
        {/* A program has its log next to it. */}
        {!inputs.some(input => getControlKind(input) === 'code') && <NodeLastRun node={node} />}
        {entry !== undefined && !isCanvasOnly(entry) && <RunButtons node={node} />}
      </div>
    </aside>
  );
}

/** Says that the node needs no provider, and whose model it runs. */
function LocalModel({ entry: { license, origin } }: { readonly entry: CatalogEntry }) {
  return (
    <p className={styles.description}>
      {flowMessages.runsLocally}. {license !== undefined && <>{flowMessages.modelLicense(license)} </>}
      {origin !== undefined && (
        <a href={origin} target="_blank" rel="noreferrer">
          {flowMessages.modelOrigin}
        </a>
      )}
    </p>
  );
}

/** Renders a button that adds the node type to the favorites, which come first in the palette. */
function FavoriteButton({ nodeType }: { readonly nodeType: string }) {
  const [isFavorite, setFavorite] = useState(() => readFavoriteTypes().includes(nodeType));
  return (
    <IconButton
      size="s"
      icon={Star}
      label={isFavorite ? flowMessages.removeFavorite : flowMessages.addFavorite}
      aria-pressed={isFavorite}
      onClick={() => setFavorite(toggleFavorite(nodeType))}
    />
  );
}

/** Opens the menu of the selected node, which a right click or a long press opens on the canvas. */
function NodeMenuButton() {
  const { view } = useEditor();
  return (
    <IconButton
      size="s"
      icon={Ellipsis}
      label={flowMessages.nodeMenu}
      aria-haspopup="menu"
      onClick={({ currentTarget }) => {
        const { left, bottom } = currentTarget.getBoundingClientRect();
        view.setState({ menu: { position: { x: left, y: bottom }, isOnNode: true } });
      }}
    />
  );
}

/** Renders buttons for partial runs, and for pinning the result. */
function RunButtons({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const isBusy = useRun(isRunning);
  const isCompleted = useNodeRun(node.id)?.status === 'COMPLETED';
  const isPinned = getPin(node) !== undefined;
  const bypassed = isBypassed(node);
  return (
    <section className={styles.runs} aria-label={flowMessages.runsOfNode}>
      {isPinned && <p className={styles.description}>{flowMessages.pinned}</p>}
      {bypassed && <p className={styles.description}>{flowMessages.bypassed}</p>}
      <div className={styles.runButtons}>
        {(['run-to', 'run-from', 'run-again'] as const).map(id => (
          <Button key={id} size="s" disabled={isBusy || bypassed} onClick={() => getCommand(id).run(editor)}>
            {getCommand(id).label}
          </Button>
        ))}
        {!editor.session.isReadOnly && (
          <Button size="s" icon={Bypass} onClick={() => getCommand('bypass').run(editor)}>
            {bypassed ? flowMessages.restore : flowMessages.bypass}
          </Button>
        )}
        {(isCompleted || isPinned) && !isComponentCall(node) && (
          <Button size="s" icon={Pin} onClick={() => getCommand('pin').run(editor)}>
            {isPinned ? flowMessages.unpin : flowMessages.commands.pin}
          </Button>
        )}
      </div>
    </section>
  );
}

// The members of a group are edited on the board.
const hasField = ({ id, removed, isInternal }: InputDef): boolean =>
  removed !== true && isInternal !== true && id !== 'childNodeIds';

function Label({ node }: { readonly node: GraphNode }) {
  const { store } = useEditor().session;
  return (
    <TextField
      label={flowMessages.label}
      value={node.data.label}
      maxLength={200}
      onChange={({ target }) =>
        store.actions.perform(
          flowMessages.edits.rename,
          setLabel(store.getState().board, node.id, target.value),
          `label ${node.id}`,
        )
      }
    />
  );
}

function Note({ node }: { readonly node: GraphNode }) {
  const { store } = useEditor().session;
  const { note } = node.data;
  return (
    <LongText
      label={flowMessages.note}
      value={typeof note === 'string' ? note : ''}
      placeholder={flowMessages.notePlaceholder}
      onChange={value =>
        store.actions.perform(
          flowMessages.edits.note,
          setData(store.getState().board, node.id, { note: value }),
          `note ${node.id}`,
        )
      }
    />
  );
}
