// Names the files of the results of a batch, for the command line and for ZIP archives.
import { toNamePart } from './files.ts';

/** A row of a batch. `inputs` are the values of its input nodes. */
export interface NamedRow {
  readonly row: number;
  readonly key: string | null;
  readonly inputs: Iterable<unknown>;
}

/**
 * Returns a name without extension for each result of the row: its number, its key or else its first text, and the label of
 * the output. All numbers of a batch have the same length, so that file managers sort the files like the rows.
 */
export function nameResults(
  { row, key, inputs }: NamedRow,
  { total, labels }: { readonly total: number; readonly labels: readonly string[] },
): readonly string[] {
  const name = key ?? findText(inputs);
  const stem = [
    String(row).padStart(String(total).length, '0'),
    ...(name === undefined ? [] : [toNamePart(name)]),
  ];
  // Some file systems ignore case.
  const usedNames = new Set<string>();
  return labels.map(label => {
    const part = toNamePart(label);
    let suffix = part;
    for (let count = 2; usedNames.has(suffix.toLowerCase()); count++) suffix = `${part}-${count}`;
    usedNames.add(suffix.toLowerCase());
    return [...stem, suffix].join('-');
  });
}

/** Returns the first text that says what the row is about. */
function findText(inputs: Iterable<unknown>): string | undefined {
  for (const value of inputs) {
    if (typeof value === 'string' && /[\p{L}\p{N}]/u.test(value) && !/^(https?:|med_)/.test(value))
      return value;
  }
  return undefined;
}
