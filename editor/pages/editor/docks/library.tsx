// Renders the library: nodes, templates and media, to drag onto the board or to insert by a click.

import { type DragEvent, type ReactNode, useState } from 'react';
import type { MediaItem, Template } from '../../../../sdk/src/schemas.ts';
import type { Position } from '../../../../src/graph/types.ts';
import { getMediaKind, placeMedia } from '../../../board/import-files.ts';
import { pasteGraph } from '../../../canvas/commands.ts';
import { messages } from '../../../flow-messages.ts';
import { showError } from '../../../kit/failure.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { Thumbnail } from '../../../kit/media-view.tsx';
import { SearchField } from '../../../kit/search-field.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { type EditorContextValue, useEditor } from '../../../session/editor-context.tsx';
import { findEntries, insertEntry, usePaletteEntries } from '../add-node/add-node.tsx';
import { readTemplateBoard } from '../empty-board/starter-templates.tsx';
import styles from './dock.module.css';

const libraryMessages = messages.flow.library;
const MAX_NODES = 200;

type Tab = keyof typeof libraryMessages.tabs;

export function Library() {
  const [tab, setTab] = useState<Tab>('nodes');
  return (
    <Tabs label={libraryMessages.title} value={tab} onChange={setTab} tabs={libraryMessages.tabs}>
      {tab === 'nodes' && <Nodes />}
      {tab === 'templates' && <Templates />}
      {tab === 'media' && <MediaFiles />}
    </Tabs>
  );
}

function Nodes() {
  const editor = useEditor();
  const [text, setText] = useState('');
  const entries = usePaletteEntries(text, {});
  return (
    <>
      <SearchField
        label={messages.flow.searchNodes}
        placeholder={messages.flow.searchNodes}
        value={text}
        onChange={setText}
      />
      <ul className={styles.rows}>
        {findEntries(entries, text, '')
          .slice(0, MAX_NODES)
          .map(({ id, label, icon, hint }) => (
            <Item
              key={id}
              label={label}
              detail={hint}
              picture={icon}
              onInsert={position => {
                const entry = entries.find(({ nodeType }) => nodeType === id);
                if (entry !== undefined)
                  insertEntry(editor, entry, position === undefined ? {} : { position });
              }}
            />
          ))}
      </ul>
    </>
  );
}

function Templates() {
  const editor = useEditor();
  const query = useList('/templates', { limit: 30 });
  return (
    <InfiniteList query={query} empty={<p className={styles.empty}>{libraryMessages.noTemplates}</p>}>
      {templates => (
        <ul className={styles.rows}>
          {templates.map(template => {
            const url = template.card ?? template.poster;
            return (
              <Item
                key={template.id}
                label={template.title}
                detail={template.description}
                picture={url && <Thumbnail url={url} contentType="image/*" />}
                onInsert={position => void insertTemplate(editor, template, position)}
              />
            );
          })}
        </ul>
      )}
    </InfiniteList>
  );
}

async function insertTemplate(
  editor: EditorContextValue,
  template: Template,
  position: Position | undefined,
): Promise<void> {
  try {
    const board = await readTemplateBoard(template);
    pasteGraph(editor, board, position ?? editor.canvas.current?.getCenter() ?? { x: 0, y: 0 });
  } catch (error) {
    showError(error);
  }
}

function MediaFiles() {
  const editor = useEditor();
  const query = useList('/media', { limit: 60 });
  return (
    <InfiniteList query={query} empty={<p className={styles.empty}>{libraryMessages.noMedia}</p>}>
      {files => (
        <ul className={styles.rows}>
          {files.map(({ mediaId, url, name, contentType }) => (
            <Item
              key={mediaId}
              label={name}
              picture={<Thumbnail url={url} contentType={contentType} />}
              onInsert={position => insertMedia(editor, { url, name, contentType }, position)}
            />
          ))}
        </ul>
      )}
    </InfiniteList>
  );
}

function insertMedia(
  { session, canvas }: EditorContextValue,
  { url, name, contentType }: Pick<MediaItem, 'url' | 'name' | 'contentType'>,
  position: Position | undefined,
): void {
  const kind = getMediaKind({ type: contentType });
  if (kind === undefined) return;
  const placement = placeMedia(
    session,
    { kind, url, name },
    { position },
    canvas.current?.getCenter() ?? { x: 0, y: 0 },
  );
  if (placement === undefined) return;
  session.store.actions.perform(messages.flow.edits.add(name), placement.changes);
  session.store.actions.select([placement.id]);
}

interface ItemProps {
  readonly label: string;
  readonly detail?: ReactNode;
  readonly picture?: ReactNode;
  /** Inserts the item at the position, or into free space if there is none. */
  readonly onInsert: (position: Position | undefined) => void;
}

const DRAG_TYPE = 'application/x-graphwright-item';

function Item({ label, detail, picture, onInsert }: ItemProps) {
  const { canvas } = useEditor();
  return (
    <li
      draggable
      onDragStart={(event: DragEvent) => {
        event.dataTransfer.setData(DRAG_TYPE, label);
        event.dataTransfer.effectAllowed = 'copy';
        acceptDropOnBoard(({ clientX, clientY }) =>
          onInsert(canvas.current?.toBoard({ x: clientX, y: clientY })),
        );
      }}
    >
      <button type="button" className={styles.item} onClick={() => onInsert(undefined)}>
        <span className={styles.thumbnail}>{picture}</span>
        <span className={styles.texts}>
          <strong>{label}</strong>
          {detail && <span className={styles.muted}>{detail}</span>}
        </span>
      </button>
    </li>
  );
}

/**
 * Calls `onDrop` if the drag that has just started ends on the board. Listens immediately, because the pointer can be over
 * the board before the next render.
 */
function acceptDropOnBoard(onDrop: (event: MouseEvent) => void): void {
  const controller = new AbortController();
  const { signal } = controller;
  const isOnBoard = ({ target }: Event): boolean =>
    target instanceof Element && target.closest('[data-focus-region="canvas"]') !== null;
  document.addEventListener('dragover', event => isOnBoard(event) && event.preventDefault(), { signal });
  document.addEventListener(
    'drop',
    event => {
      controller.abort();
      if (!isOnBoard(event)) return;
      event.preventDefault();
      onDrop(event);
    },
    { signal },
  );
  // An element that was removed during its drag gets no `dragend`.
  for (const type of ['dragend', 'pointerdown'])
    document.addEventListener(type, () => controller.abort(), { signal });
}
