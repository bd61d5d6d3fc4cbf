// A sticky note, written in markdown.
import type { NodeProps } from '@xyflow/react';
import { memo, useEffect, useState } from 'react';
import type { CardNode } from './model.ts';
import styles from './note.module.css';
import { Resizer } from './resizer.tsx';

const COLOR = /^#[0-9a-f]{6}$/i;

export const Note = memo(function Note({ data: { node }, selected = false }: NodeProps<CardNode>) {
  const { text, color } = node.data.config ?? {};
  const shown = typeof text === 'string' && text !== '' ? text : node.data.label;
  const markup = useMarkup(shown);
  const style =
    typeof color === 'string' && COLOR.test(color)
      ? { backgroundColor: color, color: inkOn(color) }
      : undefined;
  return (
    <>
      {markup === undefined ? (
        <div className={styles.note} style={style}>
          {shown}
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

/** Undefined until the renderer is loaded: the bare text stands there meanwhile. */
function useMarkup(text: string): string | undefined {
  const [markup, setMarkup] = useState<string>();
  useEffect(() => {
    let isGone = false;
    void import('./markdown.ts').then(({ renderNote }) => isGone || setMarkup(renderNote(text)));
    return () => {
      isGone = true;
    };
  }, [text]);
  return markup;
}

/** Dark on light grounds and light on dark ones. */
function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? '#26200a' : '#fdfcf6';
}
