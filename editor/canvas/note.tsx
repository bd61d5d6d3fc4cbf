// Renders a sticky note with markdown.
import type { NodeProps } from '@xyflow/react';
import { memo, useEffect, useState } from 'react';
import type { FlowNode } from './card-cache.ts';
import styles from './note.module.css';
import { getNoteColors, getNoteText } from './note-text.ts';
import { Resizer } from './resizer.tsx';

export const Note = memo(function Note({ data: { node }, selected = false }: NodeProps<FlowNode>) {
  const text = getNoteText(node);
  const markup = useNoteHtml(text);
  const { background, ink } = getNoteColors(node);
  const style = { backgroundColor: background, color: ink };
  return (
    <>
      {markup === undefined ? (
        <div className={styles.note} style={style}>
          {text}
        </div>
      ) : (
        <div
          className={styles.note}
          style={style}
          data-markdown
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer lets no HTML through
          dangerouslySetInnerHTML={{ __html: markup }}
        />
      )}
      {selected && <Resizer node={node} />}
    </>
  );
});

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
