// Renders the completed runs of a workflow. A click adds a run to the examples of the workflow's app, or removes it.
import { useRef } from 'react';
import { messages } from '../../../../flow-messages.ts';
import formStyles from '../../../../kit/form.module.css';
import { formatAgo } from '../../../../lib/format.ts';
import { useHasBeenVisible } from '../../../../lib/use-visibility.ts';
import { useEditor } from '../../../../session/editor-context.tsx';
import { useCompletedRuns } from '../../../../session/runs/use-completed-runs.ts';
import { RunThumbnail } from '../../docks/runs.tsx';
import styles from './app.module.css';

const appMessages = messages.flow.app;
const MAX_EXAMPLES = 6;

interface ExamplePickerProps {
  /** Execution ids, in the order shown to visitors. */
  readonly ids: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

export function ExamplePicker({ ids, onChange }: ExamplePickerProps) {
  const { session } = useEditor();
  const runs = useCompletedRuns(session.id);
  if (runs === undefined) return null;
  const olderIds = ids.filter(id => !runs.some(run => run.id === id));
  if (runs.length === 0 && olderIds.length === 0)
    return <p className={formStyles.muted}>{appMessages.noRuns}</p>;
  const toggle = (id: string): void =>
    onChange(ids.includes(id) ? ids.filter(other => other !== id) : [...ids, id]);
  return (
    <>
      <p className={formStyles.muted}>{appMessages.examplesHint(MAX_EXAMPLES)}</p>
      <ul className={styles.examples} aria-label={appMessages.examples}>
        {[
          ...olderIds.map(id => ({ id, label: appMessages.earlierRun })),
          ...runs.map(({ id, createdAt }) => ({
            id,
            label: appMessages.runOf(formatAgo(Date.parse(createdAt), Date.now())),
          })),
        ].map(({ id, label }) => (
          <li key={id}>
            <Example
              id={id}
              label={label}
              number={ids.indexOf(id) + 1}
              isFull={ids.length >= MAX_EXAMPLES}
              onToggle={() => toggle(id)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface ExampleProps {
  readonly id: string;
  readonly label: string;
  /** Position among the examples, from 1. 0 if the run is not an example. */
  readonly number: number;
  readonly isFull: boolean;
  readonly onToggle: () => void;
}

function Example({ id, label, number, isFull, onToggle }: ExampleProps) {
  const ref = useRef<HTMLButtonElement>(null);
  const hasBeenVisible = useHasBeenVisible(ref);
  return (
    <button
      ref={ref}
      type="button"
      className={styles.example}
      aria-pressed={number > 0}
      disabled={isFull && number === 0}
      onClick={onToggle}
    >
      <RunThumbnail run={{ id, status: 'COMPLETED' }} hasBeenVisible={hasBeenVisible} />
      <span>{number > 0 ? appMessages.exampleOf(number, label) : label}</span>
    </button>
  );
}
