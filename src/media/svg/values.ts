// Lets saxes skip over attribute values that contain nothing it would change or refuse. It reads each character for itself,
// and paths are most of what there is to read in a drawing.
import type { SaxesParser } from 'saxes';

/** What of the parser's inside is touched. */
interface Inside {
  readonly chunk: string;
  i: number;
  text: string;
  readonly stateTable: ((this: Inside) => void)[];
  readonly sAttribValueQuoted: (this: Inside) => void;
}

// Either quote, `&`, `<`, control characters, and whatever is not ASCII.
const NOT_PLAIN = /[^ !#-%(-;=-~]/g;

/** Where a later saxes has no such inside, nothing is skipped. */
export function skipPlainValues(parser: SaxesParser<{ xmlns: true }>): void {
  const inside = parser as unknown as Inside;
  const readOn = inside.sAttribValueQuoted;
  const at = inside.stateTable?.indexOf(readOn) ?? -1;
  if (at < 0) return;
  inside.stateTable[at] = function skip() {
    // Up to the first such character and never again over the same one, however a value is made up.
    NOT_PLAIN.lastIndex = this.i;
    const end = NOT_PLAIN.test(this.chunk) ? NOT_PLAIN.lastIndex - 1 : this.i;
    this.text += this.chunk.slice(this.i, end);
    this.i = end;
    readOn.call(this);
  };
}
