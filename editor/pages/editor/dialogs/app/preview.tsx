// Renders a preview of the app's page while its settings are edited.
import type { AppInput } from '../../../../../sdk/src/schemas.ts';
import { getControl } from '../../../../../src/graph/app-controls.ts';
import { groupConsecutive } from '../../../../../src/graph/consecutive.ts';
import { messages } from '../../../../flow-messages.ts';
import { Button } from '../../../../kit/button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../../../kit/field.tsx';
import formStyles from '../../../../kit/form.module.css';
import styles from './app.module.css';
import type { AppForm } from './app-form.ts';

const appMessages = messages.flow.app;

interface PreviewProps {
  readonly form: AppForm;
  /** The node types by node id. */
  readonly types: ReadonlyMap<string, string>;
}

export function Preview({ form: { title, description, inputs }, types }: PreviewProps) {
  return (
    <section className={styles.preview} aria-label={appMessages.preview}>
      {/* The fields of the preview cannot be filled in. */}
      <div inert className={styles.page}>
        <h3 className={styles.title}>{title}</h3>
        {description !== '' && <p className={formStyles.muted}>{description}</p>}
        {groupConsecutive(inputs, ({ group }) => group).map(([first, ...others]) => {
          if (first === undefined) return null;
          const fields = [first, ...others].map(input => (
            <PreviewField key={input.nodeId} input={input} nodeType={types.get(input.nodeId) ?? ''} />
          ));
          if (first.group === undefined) return fields;
          return (
            <fieldset key={first.nodeId} className={styles.group}>
              <legend>{first.group}</legend>
              {fields}
            </fieldset>
          );
        })}
        <Button>{appMessages.run}</Button>
        <div className={styles.result}>{appMessages.result}</div>
      </div>
    </section>
  );
}

function PreviewField({ input, nodeType }: { readonly input: AppInput; readonly nodeType: string }) {
  const { label: ownLabel, help: hint, placeholder, choices = [], min, max, isRequired } = input;
  const label = `${ownLabel ?? input.nodeId}${isRequired === true ? ' *' : ''}`;
  const control = getControl(input, nodeType);
  if (control === 'choice')
    return (
      <SelectField label={label} hint={hint} options={choices.map(choice => [choice, choice] as const)} />
    );
  if (control === 'switch') return <CheckField label={label} hint={hint} />;
  if (control === 'slider') return <TextField label={label} hint={hint} type="range" min={min} max={max} />;
  if (control === 'media')
    return <TextField label={label} hint={hint} placeholder={placeholder ?? appMessages.chooseFile} />;
  if (control === 'textarea')
    return <TextArea label={label} hint={hint} rows={2} placeholder={placeholder} />;
  return <TextField label={label} hint={hint} placeholder={placeholder} />;
}
