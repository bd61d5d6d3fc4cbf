// Renders the fields for the workflow of an automation and for each of its input nodes: for a schedule the value of the input, and for a trigger the JSON
// pointer to its value in the payload.
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../../sdk/src/errors.ts';
import type { Graph, GraphNode, Json } from '../../../src/graph/types.ts';
import { SelectField, TextArea, TextField } from '../../kit/field.tsx';
import formStyles from '../../kit/form.module.css';
import { apiQuery } from '../../lib/queries.ts';
import { useWorkflowNames } from '../../lib/runs.ts';
import { UserFacingError } from '../../lib/user-facing-error.ts';
import { messages } from './messages.ts';

/** Texts of the fields by node id. Without a text, the run uses the value in the workflow. */
export type FieldTexts = Readonly<Record<string, string>>;

const MAX_SHOWN_INPUTS = 50;

/** Reads the input nodes of a workflow. Undefined until they are loaded, and without a workflow. */
export function useWorkflowInputs(workflowId: string | undefined): readonly GraphNode[] | undefined {
  const { data } = useQuery({
    ...apiQuery<Graph>([`/workflows/${workflowId}`]),
    staleTime: 0,
    enabled: workflowId !== undefined,
  });
  return data?.nodes.filter(({ data }) => data.nodeType.startsWith('input:'));
}

/** Drops the texts of nodes that were deleted since, because the service would refuse them. */
const pickPresent = (
  texts: FieldTexts,
  nodes: readonly GraphNode[] | undefined,
): readonly (readonly [string, string])[] => {
  const ids = nodes && new Set(nodes.map(({ id }) => id));
  return Object.entries(texts).filter(([id, text]) => text !== '' && ids?.has(id) !== false);
};

const isText = ({ data }: GraphNode): boolean => data.nodeType === 'input:text';

const formatInput = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function toInputTexts(inputs: Readonly<Record<string, unknown>> | undefined): FieldTexts {
  return Object.fromEntries(Object.entries(inputs ?? {}).map(([id, value]) => [id, formatInput(value)]));
}

/**
 * Returns the values to send. A stored value that was not edited is returned unchanged. The text of an input that does
 * not take text is parsed if it is valid JSON.
 */
export function toInputValues(
  nodes: readonly GraphNode[] | undefined,
  texts: FieldTexts,
  stored: Readonly<Record<string, unknown>> = {},
): Record<string, Json> {
  const textNodeIds = new Set(nodes?.filter(isText).map(({ id }) => id));
  const toValue = (id: string, text: string): Json => {
    if (id in stored && formatInput(stored[id]) === text) return stored[id] as Json;
    return textNodeIds.has(id) ? text : parseJson(text);
  };
  return Object.fromEntries(pickPresent(texts, nodes).map(([id, text]) => [id, toValue(id, text)]));
}

/** Returns what is wrong with inputs, by node id, and the error to show, which has the labels of nodes instead of ids. */
export function readInputErrors(
  error: unknown,
  nodes: readonly GraphNode[] | undefined = [],
): { readonly byNodeId: FieldTexts; readonly error: unknown } {
  const issues = error instanceof ApiError ? error.issues : [];
  const problems = nodes.flatMap(({ id, data }) => {
    const issue = issues.find(({ nodeId, path }) => nodeId === id && path?.startsWith('/inputs/'));
    return issue === undefined ? [] : [{ id, label: data.label, message: issue.message }];
  });
  if (problems.length === 0) return { byNodeId: {}, error };
  const sentences = problems.map(({ label, message }) => `${label}: ${message}`);
  return {
    byNodeId: Object.fromEntries(problems.map(({ id, message }) => [id, message])),
    error: new UserFacingError(sentences.join(' ')),
  };
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
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

/** Selects the whole payload. The JSON pointer for this is empty, but an empty field sets no pointer. */
const WHOLE_PAYLOAD = '*';

export const toPointerTexts = (inputs: Readonly<Record<string, unknown>> | undefined): FieldTexts =>
  Object.fromEntries(
    Object.entries(inputs ?? {}).map(([id, pointer]) => [
      id,
      pointer === '' ? WHOLE_PAYLOAD : String(pointer),
    ]),
  );

export const toPointers = (
  nodes: readonly GraphNode[] | undefined,
  texts: FieldTexts,
): Record<string, string> =>
  Object.fromEntries(pickPresent(texts, nodes).map(([id, text]) => [id, text === WHOLE_PAYLOAD ? '' : text]));

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
