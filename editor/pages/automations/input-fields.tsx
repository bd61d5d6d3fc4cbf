// Renders the fields for the workflow of an automation and for each of its input nodes: for a schedule the value of the
// input, and for a trigger the JSON pointer to its value in the payload.
import { useQuery } from '@tanstack/react-query';
import { isInputNode } from '../../../src/graph/input-nodes.ts';
import type { Graph, GraphNode } from '../../../src/graph/types.ts';
import { SelectField, TextArea, TextField } from '../../kit/field.tsx';
import formStyles from '../../kit/form.module.css';
import { apiQuery } from '../../lib/queries.ts';
import { useWorkflowNames } from '../../lib/runs.ts';
import { type FieldTexts, isText } from './input-values.ts';
import { messages } from './messages.ts';

const MAX_SHOWN_INPUTS = 50;

/** Reads the input nodes of a workflow. Undefined until they are loaded, and without a workflow. */
export function useWorkflowInputs(workflowId: string | undefined): readonly GraphNode[] | undefined {
  const { data } = useQuery({
    ...apiQuery<Graph>([`/workflows/${workflowId}`]),
    staleTime: 0,
    enabled: workflowId !== undefined,
  });
  return data?.nodes.filter(isInputNode);
}

interface FieldsProps {
  readonly nodes: readonly GraphNode[] | undefined;
  readonly values: FieldTexts;
  readonly onChange: (values: FieldTexts) => void;
}

/** Renders the fields for the values that a schedule sets. */
export function ValueFields({
  nodes = [],
  values,
  errors,
  onChange,
}: FieldsProps & { readonly errors: FieldTexts }) {
  if (nodes.length === 0) return null;
  return (
    <fieldset className={formStyles.group}>
      <legend>{messages.form.inputs}</legend>
      <p className={formStyles.muted}>{messages.form.inputsHint}</p>
      {nodes.slice(0, MAX_SHOWN_INPUTS).map(node => {
        const Control = isText(node) ? ValueArea : TextField;
        return (
          <Control
            key={node.id}
            label={node.data.label}
            placeholder={toPlaceholder(node)}
            error={errors[node.id]}
            value={values[node.id] ?? ''}
            onChange={({ target }) => onChange({ ...values, [node.id]: target.value })}
          />
        );
      })}
    </fieldset>
  );
}

const ValueArea = (props: Parameters<typeof TextArea>[0]) => <TextArea rows={2} {...props} />;

/** Returns the value in the workflow. */
function toPlaceholder({ data: { config } }: GraphNode): string {
  const value = config?.value ?? config?.url ?? '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200);
}

interface WorkflowFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Renders a field for a workflow, by default for the one that a new automation runs. */
export function WorkflowField({ label = messages.form.workflow, value, onChange }: WorkflowFieldProps) {
  const names = useWorkflowNames();
  return (
    <SelectField
      label={label}
      required
      value={value}
      onChange={({ target }) => onChange(target.value)}
      options={[...names]}
    >
      <option value="">{messages.trigger.chooseWorkflow}</option>
      {value !== '' && !names.has(value) && <option value={value}>{value}</option>}
    </SelectField>
  );
}

/** Renders the fields for the JSON pointers of a trigger. */
export function PointerFields({ nodes = [], values, onChange }: FieldsProps) {
  if (nodes.length === 0) return null;
  return (
    <fieldset className={formStyles.group}>
      <legend>{messages.form.inputs}</legend>
      <p className={formStyles.muted}>{messages.trigger.pointerHint}</p>
      {nodes.slice(0, MAX_SHOWN_INPUTS).map(({ id, data }) => (
        <TextField
          key={id}
          label={messages.trigger.pointer(data.label)}
          placeholder="/title"
          pattern="\*|/.*"
          maxLength={1000}
          value={values[id] ?? ''}
          onChange={({ target }) => onChange({ ...values, [id]: target.value })}
        />
      ))}
    </fieldset>
  );
}
