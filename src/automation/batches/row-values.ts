// Divides the values of rows: each row has its short values, and the batch stores each long value once, with a number that
// rows refer to. A long value often belongs to many rows, because a matrix combines it with others, or to many inputs of a
// row, because they take the same column.
import type { Json } from '../../graph/types.ts';
import { joinMembers, parseMemberTexts } from '../../lib/json-scan.ts';
import type { JsonText } from '../../lib/json-text.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import type { RunInputs } from '../../runs/prepare/run-request.ts';
import type { Tx } from '../../store/db.ts';
import type { StoredRowValues } from './store/rows.ts';
import { listValues, type NewValue } from './store/values.ts';

/** Config fields by node id, each with its JSON text. */
export type RowConfig = ReadonlyMap<string, ReadonlyMap<string, JsonText<Json>>>;

export interface RowValues {
  readonly inputs: RunInputs;
  readonly config: RowConfig | null;
}

/** Values with at least this many characters are stored once. */
const MIN_LONG_CHARACTERS = 1000;

/** A value that a row takes from its batch. `field` is null for an input. */
type Reference = readonly [nodeId: string, field: string | null, number: number];

export interface DividedRow extends StoredRowValues {
  /** The size of the inputs and the config, with their long values. */
  readonly bytes: number;
  /** The long values that no earlier row has. */
  readonly newValues: readonly NewValue[];
}

/** Returns the bytes that the row and its new values take in the database. */
export function countStoredBytes({ inputs, config, shared, newValues }: DividedRow): number {
  let bytes = Buffer.byteLength(inputs);
  if (config !== null) bytes += Buffer.byteLength(config);
  if (shared !== null) bytes += Buffer.byteLength(shared);
  for (const { value } of newValues) bytes += Buffer.byteLength(value);
  return bytes;
}

/** Where long values repeat: in many rows of a batch, or only in one row, whose other long values then stay in the row. */
type Repetition = 'rows' | 'inputs';

/** Divides the rows of a batch, in order. Recognizes a value that repeats by its object. */
export class RowDivider {
  readonly #repetition: Repetition;
  readonly #numbers = new WeakMap<JsonText<Json>, number>();
  #count = 0;

  constructor(repetition: Repetition) {
    this.#repetition = repetition;
  }

  divide({ inputs, config }: RowValues): DividedRow {
    const repeated = this.#repetition === 'rows' ? undefined : findRepeated(inputs);
    const references: Reference[] = [];
    const newValues: NewValue[] = [];
    let longBytes = 0;
    const takeShort = (
      values: ReadonlyMap<string, JsonText<Json>>,
      toReference: (name: string, number: number) => Reference,
    ): (readonly [string, string])[] => {
      const short: (readonly [string, string])[] = [];
      for (const [name, value] of values) {
        const { text } = value;
        if (text.length < MIN_LONG_CHARACTERS || repeated?.has(value) === false) {
          short.push([name, text]);
          continue;
        }
        const known = this.#numbers.get(value);
        const number = known ?? this.#count++;
        if (known === undefined) {
          this.#numbers.set(value, number);
          newValues.push({ number, value: text });
        }
        references.push(toReference(name, number));
        longBytes += text.length + name.length;
      }
      return short;
    };
    const shortInputs = joinMembers(takeShort(inputs, (nodeId, number) => [nodeId, null, number]));
    const shortConfig =
      config === null
        ? null
        : joinMembers(
            Array.from(config, ([nodeId, fields]) => [
              nodeId,
              joinMembers(takeShort(fields, (field, number) => [nodeId, field, number])),
            ]),
          );
    return {
      inputs: shortInputs,
      config: shortConfig,
      shared: references.length === 0 ? null : JSON.stringify(references),
      bytes: shortInputs.length + (shortConfig?.length ?? 0) + longBytes,
      newValues,
    };
  }
}

/** Returns the values that several inputs take. */
function findRepeated(inputs: RunInputs): ReadonlySet<JsonText<Json>> {
  const seen = new Set<JsonText<Json>>();
  const repeated = new Set<JsonText<Json>>();
  for (const value of inputs.values()) if (seen.size === seen.add(value).size) repeated.add(value);
  return repeated;
}

/** Returns the JSON text of the config. */
export const toConfigText = (config: RowConfig): string =>
  joinMembers(
    Array.from(config, ([nodeId, fields]) => [
      nodeId,
      joinMembers(Array.from(fields, ([field, { text }]) => [field, text])),
    ]),
  );

/** Reads the long values of the rows, each once, and adds them to the rows' inputs and config. */
export async function joinValues<R extends StoredRowValues>(
  tx: Tx,
  batchId: string,
  rows: readonly R[],
): Promise<readonly R[]> {
  const references = rows.map(({ shared }) => (shared === null ? [] : (JSON.parse(shared) as Reference[])));
  const numbers = new Set(references.flat().map(([, , number]) => number));
  if (numbers.size === 0) return rows;
  const values = await listValues(tx, batchId, [...numbers]);
  const joinedRows: R[] = [];
  for (const [index, row] of rows.entries()) {
    await yieldTurn();
    joinedRows.push({ ...row, ...joinRow(row, references[index] ?? [], values) });
  }
  return joinedRows;
}

function joinRow(
  { inputs, config }: StoredRowValues,
  references: readonly Reference[],
  values: ReadonlyMap<number, string>,
): StoredRowValues {
  if (references.length === 0) return { inputs, config, shared: null };
  const inputTexts = parseMemberTexts(inputs);
  const fieldTexts = new Map(
    Array.from(parseMemberTexts(config ?? '{}'), ([nodeId, fields]) => [nodeId, parseMemberTexts(fields)]),
  );
  for (const [nodeId, field, number] of references) {
    const text = values.get(number) ?? 'null';
    if (field === null) inputTexts.set(nodeId, text);
    else fieldTexts.get(nodeId)?.set(field, text);
  }
  return {
    inputs: joinMembers(inputTexts),
    config:
      config === null
        ? null
        : joinMembers(Array.from(fieldTexts, ([nodeId, fields]) => [nodeId, joinMembers(fields)])),
    shared: null,
  };
}
