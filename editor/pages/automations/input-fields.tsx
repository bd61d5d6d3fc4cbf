// Renders a field for each input node of a workflow: for a schedule the value of the input, and for a trigger the JSON
// pointer to its value in the payload.
import { useQuery } from '@tanstack/react-query';
import type { Graph, GraphNode, Json } from '../../../src/graph/types.ts';
import { TextArea, TextField } from '../../kit/field.tsx';
import formStyles from '../../kit/form.module.css';
import { apiQuery } from '../../lib/queries.ts';
import { messages } from './messages.ts';

/** Texts of the fields by node id. Without a text, the run uses the value in the workflow. */
export type FieldTexts = Readonly<Record<string, string>>;

const MAX_SHOWN_INPUTS = 50;

/** Reads the input nodes of a workflow. */
export function useWorkflowInputs(workflowId: string): readonly GraphNode[] {
  const path = `/workflows/${workflowId}`;
  const { data } = useQuery({
    ...apiQuery<Graph>([path]),
    staleTime: 0,
  });
  return (data?.nodes ?? [])
    .filter(({ data }) => data.nodeType.startsWith('input:'))
    .slice(0, MAX_SHOWN_INPUTS);
}

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
  nodes: readonly GraphNode[],
  texts: FieldTexts,
  stored: Readonly<Record<string, unknown>> = {},
): Record<string, Json> {
  const textNodeIds = new Set(nodes.filter(isText).map(({ id }) => id));
  const toValue = (id: string, text: string): Json => {
    if (id in stored && formatInput(stored[id]) === text) return stored[id] as Json;
    return textNodeIds.has(id) ? text : parseJson(text);
  };
  return Object.fromEntries(
    Object.entries(texts)
      .filter(([, text]) => text !== '')
      .map(([id, text]) => [id, toValue(id, text)]),
  );
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

interface FieldsProps {
  readonly nodes: readonly GraphNode[];
  readonly values: FieldTexts;
  readonly onChange: (values: FieldTexts) => void;
}

/** Renders the fields for the values that a schedule sets. */
export function ValueFields({ nodes, values, onChange }: FieldsProps) {
  if (nodes.length === 0) return null;
  return (
    <fieldset className={formStyles.group}>
      <legend>{messages.form.inputs}</legend>
      <p className={formStyles.muted}>{messages.form.inputsHint}</p>
      {nodes.map(node => {
        const Control = isText(node) ? ValueArea : TextField;
        return (
          <Control
            key={node.id}
            label={node.data.label}
            placeholder={toPlaceholder(node)}
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

/** Selects the whole payload. The JSON pointer for this is empty, but an empty field sets no pointer. */
const WHOLE_PAYLOAD = '*';

export const toPointerTexts = (inputs: Readonly<Record<string, unknown>> | undefined): FieldTexts =>
  Object.fromEntries(
    Object.entries(inputs ?? {}).map(([id, pointer]) => [
      id,
      pointer === '' ? WHOLE_PAYLOAD : String(pointer),
    ]),
  );

export const toPointers = (texts: FieldTexts): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([, text]) => text !== '')
      .map(([id, text]) => [id, text === WHOLE_PAYLOAD ? '' : text]),
  );

/** Renders the fields for the JSON pointers of a trigger. */
export function PointerFields({ nodes, values, onChange }: FieldsProps) {
  if (nodes.length === 0) return null;
  return (
    <fieldset className={formStyles.group}>
      <legend>{messages.form.inputs}</legend>
      <p className={formStyles.muted}>{messages.trigger.pointerHint}</p>
      {nodes.map(({ id, data }) => (
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
