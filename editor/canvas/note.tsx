// Renders a sticky note with markdown.
import type { NodeProps } from '@xyflow/react';
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useState } from 'react';
import type { GraphNode } from '../../src/graph/types.ts';
import { setConfig } from '../board/edits.ts';
import { messages } from '../flow-messages.ts';
import { useEditor } from '../session/editor-context.tsx';
import type { FlowNode } from './card-cache.ts';
import styles from './note.module.css';
import { getNoteColors, getNoteText } from './note-text.ts';
import { Resizer } from './resizer.tsx';

export const Note = memo(function Note({ data: { node }, selected = false }: NodeProps<FlowNode>) {
  const text = getNoteText(node);
  const markup = useNoteHtml(text);
  const { background, ink } = getNoteColors(node);
  const style = { backgroundColor: background, color: ink };
  const { session } = useEditor();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <NoteEditor node={node} style={style} onEnd={() => setEditing(false)} />;
  const edit = (): void => setEditing(!session.isReadOnly);
  return (
    <>
      {markup === undefined ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: the inspector edits the text by keyboard
        <div className={styles.note} style={style} onDoubleClick={edit}>
          {text}
        </div>
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: the inspector edits the text by keyboard
        <div
          className={styles.note}
          style={style}
          data-markdown
          onDoubleClick={edit}
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer lets no HTML through
          dangerouslySetInnerHTML={{ __html: markup }}
        />
      )}
      {selected && <Resizer node={node} />}
    </>
  );
});

interface NoteEditorProps {
  readonly node: GraphNode;
  readonly style: CSSProperties;
  readonly onEnd: () => void;
}

/** Edits the text in place. Escape and leaving the field end the edit; both keep the text. */
function NoteEditor({ node, style, onEnd }: NoteEditorProps) {
  const { session, canvas } = useEditor();
  const { store, catalog } = session;
  const change = (text: string): void =>
    store.actions.perform(
      messages.flow.edits.note,
      setConfig(store.getState().board, catalog, node.id, { text }),
      `note ${node.id}`,
    );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onEnd();
    canvas.current?.focusNode(node.id);
  };
  return (
    <textarea
      className={`${styles.note} ${styles.noteEditor} nodrag nopan nowheel`}
      style={style}
      aria-label={messages.flow.noteText}
      // biome-ignore lint/a11y/noAutofocus: the user double-clicked the note to type
      autoFocus
      value={getNoteText(node)}
      onChange={({ target }) => change(target.value)}
      onKeyDown={onKeyDown}
      onBlur={onEnd}
    />
  );
}

/** Returns the HTML of the note, or undefined until the renderer is loaded. */
function useNoteHtml(text: string): string | undefined {
  const [markup, setMarkup] = useState<string>();
  useEffect(() => {
    let isUnmounted = false;
    void import('./markdown.ts').then(({ renderNote }) => isUnmounted || setMarkup(renderNote(text)));
    return () => {
      isUnmounted = true;
    };
  }, [text]);
  return markup;
}
