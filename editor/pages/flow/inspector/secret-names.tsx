// Suggests names of secrets after `{{`.

import { messages } from '../../../flow-messages.ts';
import { useEditor } from '../../../runs/editor-context.tsx';
import styles from './inspector.module.css';

const MAX_SHOWN = 8;

interface SecretNamesProps {
  /** The text and the caret position. */
  readonly text: string;
  readonly caret: number;
  /** Called with the completed text. */
  readonly onChoose: (text: string, caret: number) => void;
}

export function SecretNames({ text, caret, onChoose }: SecretNamesProps) {
  const names = useSecretNames();
  const begun = /\{\{\s*([\w.]*)$/.exec(text.slice(0, caret));
  if (begun === null) return null;
  const found = names
    .map(name => `secrets.${name}`)
    .filter(name => name.toLowerCase().includes((begun[1] ?? '').toLowerCase()));
  if (found.length === 0) return null;
  return (
    <ul className={styles.secrets} aria-label={messages.flow.secretNames}>
      {found.slice(0, MAX_SHOWN).map(name => (
        <li key={name}>
          <button
            type="button"
            // Keeps the focus in the field.
            onPointerDown={event => event.preventDefault()}
            onClick={() => {
              const head = `${text.slice(0, begun.index)}{{${name}}}`;
              onChoose(head + text.slice(caret).replace(/^\s*\}\}/, ''), head.length);
            }}
          >
            {`{{${name}}}`}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Users who may not view secrets get no suggestions. */
function useSecretNames(): readonly string[] {
  const { saver } = useEditor().session;
  return Object.keys(saver.base.info.secrets ?? {});
}
