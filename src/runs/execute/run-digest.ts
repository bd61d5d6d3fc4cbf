// Creates the digest of a run that ends: the beginnings of its inputs and results, for lists, and their words, for searches.
import { measureAtLeast } from '../../engine/output-size.ts';
import type { Step } from '../../engine/types.ts';
import type { Plan, PlanNode } from '../../graph/plan.ts';
import type { Value } from '../../graph/types.ts';
import { cutText } from '../../lib/cut-text.ts';
import type { RunDigest } from '../../store/runs.ts';
import { listResultNodes } from '../read/present-execution.ts';
import { addWords } from '../read/search-words.ts';

const MAX_INPUTS = 4;
const MAX_OUTPUTS = 6;
const MAX_SHOWN_CHARS = 200;
const MAX_SEARCHED_CHARS = 2000;
const MAX_WORDS = 128;

/** An element of `inputs` or `outputs` of the preview of a listed run. */
interface PreviewValue {
  readonly label: string;
  readonly text?: string;
  readonly url?: string;
  readonly contentType?: string;
  readonly posterUrl?: string;
}

/** Returns null if there is nothing to show. */
export function createRunDigest(plan: Plan, steps: ReadonlyMap<string, Step>): RunDigest | null {
  const words = new Set<string>();
  const inputs = listInputs(plan, steps);
  const outputs = listResultNodes(plan).flatMap(node => listValues(node, steps, MAX_OUTPUTS));
  const preview = {
    inputs: inputs.slice(0, MAX_INPUTS).map(input => present(input, words)),
    outputs: outputs.slice(0, MAX_OUTPUTS).map(output => present(output, words)),
  };
  if (preview.inputs.length + preview.outputs.length === 0) return null;
  return { preview: JSON.stringify(preview), words: [...words] };
}

interface LabeledValue {
  readonly label: string;
  readonly value: Value;
}

/** Lists the values of the input nodes, or the prompts of a workflow without input nodes. */
function listInputs({ nodes }: Plan, steps: ReadonlyMap<string, Step>): readonly LabeledValue[] {
  const ownNodes = nodes.filter(({ component }) => component === undefined);
  const inputs = ownNodes
    .filter(({ category }) => category === 'input')
    .flatMap(node => listValues(node, steps, MAX_INPUTS));
  if (inputs.length > 0) return inputs;
  return ownNodes.flatMap(({ label, config: { prompt } }) =>
    typeof prompt === 'string' && prompt !== '' ? [{ label, value: { type: 'TEXT', text: prompt } }] : [],
  );
}

/** Lists the first values of the node's outputs and of their lists. */
function listValues(
  { id, label }: PlanNode,
  steps: ReadonlyMap<string, Step>,
  max: number,
): readonly LabeledValue[] {
  return Object.values(steps.get(id)?.outputs ?? {})
    .flatMap(value => (value.type === 'LIST' ? value.items.slice(0, max) : [value]))
    .slice(0, max)
    .map(value => ({ label, value }));
}

function present({ label, value }: LabeledValue, words: Set<string>): PreviewValue {
  const shownLabel = cutText(label, MAX_SHOWN_CHARS);
  if ('media' in value) {
    const { url, contentType, render } = value.media;
    return {
      label: shownLabel,
      url,
      contentType,
      ...(render === undefined ? {} : { posterUrl: render.posterUrl }),
    };
  }
  const text = toText(value);
  addWords(words, text, MAX_WORDS);
  return { label: shownLabel, text: cutText(text, MAX_SHOWN_CHARS) };
}

/** Returns the beginning of the text. Large JSON is left out, because converting it takes long. */
function toText(value: Exclude<Value, { readonly media: unknown }>): string {
  if (value.type === 'TEXT') return value.text.slice(0, MAX_SEARCHED_CHARS);
  if (value.type === 'NUMBER') return String(value.number);
  if (value.type === 'LIST') return '';
  if (measureAtLeast(value.json, MAX_SEARCHED_CHARS).bytes > MAX_SEARCHED_CHARS) return '';
  return JSON.stringify(value.json);
}
