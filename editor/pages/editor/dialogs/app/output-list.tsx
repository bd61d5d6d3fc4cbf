// Renders the results of an app in the order shown, each with its label.
import ArrowDown from 'icon:arrow-down';
import ArrowUp from 'icon:arrow-up';
import type { GraphNode } from '../../../../../src/graph/types.ts';
import { messages } from '../../../../flow-messages.ts';
import { IconButton } from '../../../../kit/button.tsx';
import { TextField } from '../../../../kit/field.tsx';
import styles from './app.module.css';
import { type AppForm, moveItem, setOutputLabel } from './app-form.ts';

const appMessages = messages.flow.app;

interface OutputListProps {
  readonly form: AppForm;
  readonly nodes: readonly GraphNode[];
  readonly onChange: (fields: Partial<AppForm>) => void;
}

export function OutputList({ form, nodes, onChange }: OutputListProps) {
  const { outputs, outputLabels } = form;
  const labels = new Map(nodes.map(({ id, data }) => [id, data.label]));
  const move = (from: number, to: number): void => onChange({ outputs: moveItem(outputs, from, to) });
  return (
    <ol className={styles.outputs} aria-label={appMessages.outputs}>
      {outputs.map((nodeId, index) => {
        const name = labels.get(nodeId) ?? nodeId;
        return (
          <li key={nodeId} className={styles.output}>
            <div className={styles.grow}>
              <TextField
                label={appMessages.labelOf(name)}
                placeholder={appMessages.noLabel}
                maxLength={200}
                value={outputLabels[nodeId] ?? ''}
                onChange={({ target }) => onChange(setOutputLabel(form, nodeId, target.value))}
              />
            </div>
            {outputs.length > 1 && (
              <>
                <IconButton
                  icon={ArrowUp}
                  label={appMessages.moveUp(name)}
                  onClick={() => move(index, index - 1)}
                />
                <IconButton
                  icon={ArrowDown}
                  label={appMessages.moveDown(name)}
                  onClick={() => move(index, index + 1)}
                />
              </>
            )}
          </li>
        );
      })}
    </ol>
  );
}
