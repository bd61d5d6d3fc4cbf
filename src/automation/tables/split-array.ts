// Splits the text of a JSON array into the texts of its items while it arrives.

/** An item, or the problem that ends the array. */
export type ArrayPart =
  | { readonly line: number; readonly item: string }
  | { readonly line: number; readonly problem: string };

/** Does not check the items, except for their length. Lines end with `\n`. The text must begin with an array. */
export async function* splitArray(
  chunks: AsyncIterable<string>,
  maxCharacters: number,
): AsyncGenerator<ArrayPart, void, undefined> {
  const scanner = createScanner();
  for await (const chunk of chunks) {
    for (const part of scanner.scan(chunk)) {
      yield part;
      if ('problem' in part) return;
    }
    const { line, item } = scanner.getPending();
    if (item.length > maxCharacters) return yield { line, problem: 'The item is longer than 1 MB.' };
  }
  if (!scanner.hasEnded()) yield { line: scanner.getPending().line, problem: 'The array is not closed.' };
}

function createScanner() {
  let line = 1;
  // 1 between items, more inside of an item that is an object or array.
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let hasEnded = false;
  // The part of the current item that earlier chunks had, and the line on which it begins.
  let pending: string | undefined;
  let itemLine = 1;
  const readString = (char: string): void => {
    if (isEscaped) isEscaped = false;
    else if (char === '\\') isEscaped = true;
    else if (char === '"') isInString = false;
  };
  return {
    *scan(chunk: string): Generator<ArrayPart, void, undefined> {
      let start = 0;
      for (let index = 0; index < chunk.length; index++) {
        const char = chunk[index] ?? '';
        if (char === '\n') line++;
        if (isInString) readString(char);
        else if (char !== ' ' && char !== '\n' && char !== '\t') {
          if (hasEnded) return yield { line, problem: 'The array has ended, but more text follows.' };
          if (depth === 0) depth = 1;
          else if (depth === 1 && (char === ',' || char === ']')) {
            if (pending !== undefined) yield { line: itemLine, item: pending + chunk.slice(start, index) };
            else if (char === ',') yield { line, item: '' };
            pending = undefined;
            hasEnded = char === ']';
          } else {
            if (pending === undefined) {
              pending = '';
              start = index;
              itemLine = line;
            }
            if (char === '"') isInString = true;
            else if (char === '{' || char === '[') depth++;
            else if (char === '}' || char === ']') depth--;
          }
        }
      }
      if (pending !== undefined) pending += chunk.slice(start);
    },
    getPending: () => ({ line: pending === undefined ? line : itemLine, item: pending ?? '' }),
    hasEnded: () => hasEnded,
  };
}
