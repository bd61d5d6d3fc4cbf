// Renders the choice of inputs and settings to vary, with the values of each.

import Plus from 'icon:plus';
import Close from 'icon:x';
import { useState } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { CheckField, SelectField, TextArea } from '../../../kit/field.tsx';
import formStyles from '../../../kit/form.module.css';
import styles from './batch.module.css';
import { messages } from './messages.ts';
import { type Axis, getValues, type MatrixField, type Source, toMatrix } from './source.ts';

interface MatrixSourceProps {
  readonly matrixFields: readonly MatrixField[];
  readonly onChange: (source: Source | undefined) => void;
}

export function MatrixSource({ matrixFields, onChange }: MatrixSourceProps) {
  const [axes, setAxes] = useState<readonly Axis[]>(() =>
    matrixFields.slice(0, 1).map(({ key }) => ({ id: 0, key, text: '', chosen: [] })),
  );
  const resolveAxes = (list: readonly Axis[]) =>
    list.flatMap(axis => {
      const matrixField = matrixFields.find(({ key }) => key === axis.key);
      return matrixField === undefined ? [] : [{ axis, matrixField, values: getValues(matrixField, axis) }];
    });
  const change = (next: readonly Axis[]): void => {
    setAxes(next);
    onChange(toMatrix(resolveAxes(next)));
  };
  const replace = (id: number, changes: Partial<Axis>): void =>
    change(axes.map(axis => (axis.id === id ? { ...axis, ...changes } : axis)));
  const resolvedAxes = resolveAxes(axes);
  const unusedField = matrixFields.find(({ key }) => axes.every(axis => axis.key !== key));
  if (matrixFields.length === 0) return <p className={formStyles.muted}>{messages.nothingToVary}</p>;
  return (
    <div className={formStyles.fields}>
      {resolvedAxes.map(({ axis, matrixField }, index) => (
        <div key={axis.id} className={styles.axis}>
          <SelectField
            label={messages.vary(index + 1)}
            value={axis.key}
            onChange={event => replace(axis.id, { key: event.target.value, chosen: [] })}
          >
            {[...Map.groupBy(matrixFields, ({ group }) => group)].map(([group, members]) => (
              <optgroup key={group} label={group}>
                {members.map(({ key, label }) => (
                  <option
                    key={key}
                    value={key}
                    disabled={axes.some(other => other !== axis && other.key === key)}
                  >
                    {label}
                  </option>
                ))}
              </optgroup>
            ))}
          </SelectField>
          {resolvedAxes.length > 1 && (
            <IconButton
              icon={Close}
              size="s"
              label={messages.remove}
              onClick={() => change(axes.filter(({ id }) => id !== axis.id))}
            />
          )}
          <div className={styles.values}>
            {matrixField.choices === undefined ? (
              <TextArea
                label={messages.values}
                rows={3}
                value={axis.text}
                onChange={event => replace(axis.id, { text: event.target.value })}
              />
            ) : (
              <fieldset className={styles.choices}>
                <legend>{messages.choices}</legend>
                {matrixField.choices.map(choice => (
                  <CheckField
                    key={choice}
                    label={matrixField.names?.get(choice) ?? choice}
                    checked={axis.chosen.includes(choice)}
                    onChange={event =>
                      replace(axis.id, {
                        chosen: event.target.checked
                          ? [...axis.chosen, choice]
                          : axis.chosen.filter(other => other !== choice),
                      })
                    }
                  />
                ))}
              </fieldset>
            )}
          </div>
        </div>
      ))}
      <div className={styles.drop}>
        <Button
          icon={Plus}
          disabled={unusedField === undefined}
          onClick={() => {
            const id = Math.max(-1, ...axes.map(axis => axis.id)) + 1;
            if (unusedField) change([...axes, { id, key: unusedField.key, text: '', chosen: [] }]);
          }}
        >
          {messages.add}
        </Button>
        <span role="status">
          {resolvedAxes.every(({ values }) => values.length > 0)
            ? messages.combinations(resolvedAxes.map(({ values }) => values.length))
            : messages.noValues}
        </span>
      </div>
    </div>
  );
}
