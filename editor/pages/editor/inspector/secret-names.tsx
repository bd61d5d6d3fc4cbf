// Renders suggestions of secrets after `{{`.

import { messages } from '../../../flow-messages.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import styles from './inspector.module.css';

const MAX_SHOWN_SECRETS = 8;

interface SecretNamesProps {
  /** The text and the caret position. */
  readonly text: string;
  readonly caret: number;
  /** Called with the completed text. */
  readonly onChoose: (text: string, caret: number) => void;
}

export function SecretNames({ text, caret, onChoose }: SecretNamesProps) {
  const names = useSecretNames();
  const match = /\{\{\s*([\w.]*)$/.exec(text.slice(0, caret));
  if (match === null) return null;
  const suggestions = names
    .map(name => `secrets.${name}`)
    .filter(name => name.toLowerCase().includes((match[1] ?? '').toLowerCase()));
  if (suggestions.length === 0) return null;
  return (
    <ul className={styles.secrets} aria-label={messages.flow.secretNames}>
      {suggestions.slice(0, MAX_SHOWN_SECRETS).map(name => (
        <li key={name}>
          <button
            type="button"
            // Keeps the focus in the field.
            onPointerDown={event => event.preventDefault()}
            onClick={() => {
              const before = `${text.slice(0, match.index)}{{${name}}}`;
              onChoose(before + text.slice(caret).replace(/^\s*\}\}/, ''), before.length);
            }}
          >
            {`{{${name}}}`}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Returns no names to users who are not allowed to view the secrets. */
function useSecretNames(): readonly string[] {
  const { saver } = useEditor().session;
  return Object.keys(saver.base.info.secrets ?? {});
}
