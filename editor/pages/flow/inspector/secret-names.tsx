// The names of secrets, offered where `{{` is typed.
import { useEditor } from '../../../board/editor-context.tsx';
import type { RemoteWorkflow } from '../../../board/remote.ts';
import { messages } from '../../../flow-messages.ts';
import styles from './inspector.module.css';

const MAX_SHOWN = 8;

interface SecretNamesProps {
  /** The text, and where the caret is in it. */
  readonly text: string;
  readonly caret: number;
  /** Called with the text that has the name in it. */
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
            // The field keeps the focus.
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

/** Whoever may not see them is offered none. */
function useSecretNames(): readonly string[] {
  const { saver } = useEditor().session;
  const { secrets } = (saver.base as RemoteWorkflow).info;
  return Object.keys(secrets ?? {});
}
