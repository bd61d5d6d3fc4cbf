// Renders the results of an app in the order shown, each with its label.
import type { GraphNode } from '../../../../../src/graph/types.ts';
import { messages } from '../../../../flow-messages.ts';
import { TextField } from '../../../../kit/field.tsx';
import { SortableList } from '../../../../kit/sortable-list.tsx';
import styles from './app.module.css';
import { type AppForm, setOutputLabel } from './app-form.ts';

const appMessages = messages.flow.app;

interface OutputListProps {
  readonly form: AppForm;
  readonly nodes: readonly GraphNode[];
  readonly onChange: (fields: Partial<AppForm>) => void;
}

export function OutputList({ form, nodes, onChange }: OutputListProps) {
  const { outputs, outputLabels } = form;
  const labels = new Map(nodes.map(({ id, data }) => [id, data.label]));
  const getName = (nodeId: string): string => labels.get(nodeId) ?? nodeId;
  return (
    <SortableList
      className={styles.outputs}
      itemClassName={styles.output}
      label={appMessages.outputs}
      items={outputs}
      getKey={nodeId => nodeId}
      getName={getName}
      onChange={changed => onChange({ outputs: changed })}
    >
      {({ item: nodeId, moveButtons }) => (
        <>
          <div className={styles.grow}>
            <TextField
              label={appMessages.labelOf(getName(nodeId))}
              placeholder={appMessages.noLabel}
              maxLength={200}
              value={outputLabels[nodeId] ?? ''}
              onChange={({ target }) => onChange(setOutputLabel(form, nodeId, target.value))}
            />
          </div>
          {outputs.length > 1 && moveButtons}
        </>
      )}
    </SortableList>
  );
}
