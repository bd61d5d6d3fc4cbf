// Builds the part of a batch request that selects its rows, from the user's choices.
import type { BatchRequest } from '../../../../sdk/src/types.ts';
import { type Catalog, type InputDef, isModel } from '../../../../src/graph/catalog.ts';
import { getInputNames } from '../../../../src/graph/input-names.ts';
import { isInputNode } from '../../../../src/graph/input-nodes.ts';
import type { GraphNode } from '../../../../src/graph/types.ts';
import { MODEL_KEY } from '../../../../src/graph/with-config.ts';
import type { Board } from '../../../board/board.ts';
import { getControlKind } from '../../../board/control-kind.ts';
import { listWires } from '../../../board/wiring.ts';
import { messages } from '../../../flow-messages.ts';

/** The part of a batch request that says which rows to run. */
export type Source = Pick<BatchRequest, 'tableId' | 'mapping' | 'keyColumn' | 'matrix'>;

export const getInputNodes = ({ nodes }: Board): readonly GraphNode[] => nodes.filter(isInputNode);

const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * Guesses the column of each input by its label, name or id, or as a column of an exported batch. The only column goes to
 * the only input.
 */
export function guessMapping(
  inputs: readonly GraphNode[],
  columns: readonly string[],
): Readonly<Record<string, string>> {
  const [onlyInput] = inputs;
  const [onlyColumn] = columns;
  if (inputs.length === 1 && columns.length === 1 && onlyInput && onlyColumn)
    return { [onlyInput.id]: onlyColumn };
  const unusedColumns = new Map(columns.map(column => [normalizeName(column), column]));
  const names = getInputNames(inputs);
  const mapping: Record<string, string> = {};
  for (const { id, data } of inputs) {
    const inputName = names.get(id) ?? id;
    const candidates = [data.label, inputName, id, `input: ${inputName}`];
    const name = candidates.map(normalizeName).find(candidate => unusedColumns.has(candidate));
    if (name === undefined) continue;
    mapping[id] = unusedColumns.get(name) ?? '';
    unusedColumns.delete(name);
  }
  return mapping;
}

const KEY_COLUMN_NAMES: ReadonlySet<string> = new Set(['key', 'id', 'name', 'sku']);

/** Guesses the column that names the rows, unless an input uses it. */
export function guessKey(columns: readonly string[], mapping: Readonly<Record<string, string>>): string {
  const used = new Set(Object.values(mapping));
  return columns.find(column => KEY_COLUMN_NAMES.has(normalizeName(column)) && !used.has(column)) ?? '';
}

/** The name of the file of pasted cells. */
export const PASTED_FILE = 'cells.csv';

/**
 * Returns the cells as a file. If the first row has no separator, the text is a single column, in which later commas are
 * text.
 */
export function toTableFile(text: string): { readonly file: File; readonly delimiter: string | undefined } {
  const [head = ''] = text.split(/\r?\n/, 1);
  const delimiter = head.includes('\t') || !/[,;{]/.test(head) ? 'tab' : undefined;
  return { file: new File([text], PASTED_FILE, { type: 'text/csv' }), delimiter };
}

/** Something that a matrix can vary: an input node, or a setting of a node. */
export interface MatrixField {
  readonly key: string;
  readonly nodeId: string;
  /** The setting, or null for an input node. */
  readonly field: string | null;
  readonly group: string;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'flag' | 'json';
  readonly choices: readonly string[] | undefined;
  /** The names of the choices, if they differ. */
  readonly names?: ReadonlyMap<string, string>;
}

const INPUT_KINDS: Readonly<Record<string, MatrixField['kind']>> = {
  'input:number': 'number',
  'input:json': 'json',
  'input:list': 'json',
};

/** Lists the inputs, then the settings of nodes that have a simple value and are not connected. */
export function listMatrixFields(
  board: Board,
  catalog: Catalog,
  inputsGroup: string,
): readonly MatrixField[] {
  const inputs = getInputNodes(board).map(({ id, data }) => ({
    key: id,
    nodeId: id,
    field: null,
    group: inputsGroup,
    label: data.label,
    kind: INPUT_KINDS[data.nodeType] ?? 'text',
    choices: undefined,
  }));
  const connected = new Set(listWires(board, catalog).map(({ edge, to }) => `${edge.target}\n${to.id}`));
  const fields = board.nodes
    .filter(node => !isInputNode(node))
    .flatMap(({ id, data }) => [
      ...listModelField(catalog, { id, data }),
      ...catalog
        .ports(data.nodeType, { ...data.config, ...data.params })
        .inputs.filter(input => !input.removed && !connected.has(`${id}\n${input.id}`))
        .flatMap(input => {
          const kind = toKind(input);
          if (kind === undefined) return [];
          const choices = input.enum ?? (kind === 'flag' ? ['true', 'false'] : undefined);
          const matrixField = {
            nodeId: id,
            field: input.id,
            group: data.label,
            label: input.label,
            kind,
            choices,
          };
          return [{ key: `${id}\n${input.id}`, ...matrixField }];
        }),
    ]);
  return [...inputs, ...fields];
}

/** Returns the field that varies the model of a node: the models for the same task that can run and have a price. */
function listModelField(
  catalog: Catalog,
  { id, data }: Pick<GraphNode, 'id' | 'data'>,
): readonly MatrixField[] {
  const current = catalog.find(data.nodeType);
  if (current === undefined || !isModel(current)) return [];
  const hasLimit = data.config?.maxCredits !== undefined;
  const models = catalog.entries.filter(
    entry =>
      isModel(entry) &&
      entry.task === current.task &&
      entry.outputs[0]?.type === current.outputs[0]?.type &&
      entry.isAvailable !== false &&
      !entry.hidden &&
      !entry.deprecated &&
      (entry.estimatedCredits !== null || hasLimit),
  );
  if (models.length < 2) return [];
  return [
    {
      key: `${id}\n${MODEL_KEY}`,
      nodeId: id,
      field: MODEL_KEY,
      group: data.label,
      label: messages.flow.model,
      kind: 'text',
      choices: models.map(({ nodeType }) => nodeType),
      names: new Map(models.map(({ nodeType, label }) => [nodeType, label])),
    },
  ];
}

function toKind(input: InputDef): MatrixField['kind'] | undefined {
  const kind = getControlKind(input);
  if (kind === 'choice') return input.type === 'NUMBER' ? 'number' : 'text';
  return kind === 'text' || kind === 'number' || kind === 'flag' ? kind : undefined;
}

/** A field with the values that the user entered or chose. */
export interface Axis {
  readonly id: number;
  readonly key: string;
  readonly text: string;
  readonly chosen: readonly string[];
}

export const getValues = ({ choices }: MatrixField, { text, chosen }: Axis): readonly string[] =>
  choices === undefined
    ? text.split(/\r?\n/).filter(line => line.trim() !== '')
    : choices.filter(choice => chosen.includes(choice));

const PARSERS: Readonly<Record<MatrixField['kind'], (text: string) => unknown>> = {
  text: text => text,
  number: text => (Number.isFinite(Number(text)) ? Number(text) : text),
  flag: text => text === 'true',
  json: text => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  },
};

/** Returns the matrix, or undefined if a field has no values. */
export function toMatrix(
  axes: readonly { readonly matrixField: MatrixField; readonly values: readonly string[] }[],
): Source | undefined {
  if (axes.length === 0 || axes.some(({ values }) => values.length === 0)) return undefined;
  const inputs: Record<string, unknown[]> = {};
  const config: Record<string, Record<string, unknown[]>> = {};
  for (const { matrixField, values } of axes) {
    const parsed = values.map(PARSERS[matrixField.kind]);
    if (matrixField.field === null) inputs[matrixField.nodeId] = parsed;
    else config[matrixField.nodeId] = { ...config[matrixField.nodeId], [matrixField.field]: parsed };
  }
  return { matrix: { inputs, ...(Object.keys(config).length === 0 ? {} : { config }) } };
}
