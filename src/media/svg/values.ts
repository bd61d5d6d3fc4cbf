// Lets saxes skip attribute values that contain nothing to change or refuse. It reads characters one by one, and paths
// are most of a drawing.
import type { SaxesParser } from 'saxes';

/** The internals of the parser that are used. */
interface Inside {
  readonly chunk: string;
  i: number;
  text: string;
  readonly stateTable: ((this: Inside) => void)[];
  readonly sAttribValueQuoted: (this: Inside) => void;
}

// Either quote, `&`, `<`, control characters, and anything outside ASCII.
const NOT_PLAIN = /[^ !#-%(-;=-~]/g;

/** If a later saxes lacks these internals, nothing is skipped. */
export function skipPlainValues(parser: SaxesParser<{ xmlns: true }>): void {
  const inside = parser as unknown as Inside;
  const readOn = inside.sAttribValueQuoted;
  const at = inside.stateTable?.indexOf(readOn) ?? -1;
  if (at < 0) return;
  inside.stateTable[at] = function skip() {
    // Searches up to the first such character, and never over the same one again, for any value.
    NOT_PLAIN.lastIndex = this.i;
    const end = NOT_PLAIN.test(this.chunk) ? NOT_PLAIN.lastIndex - 1 : this.i;
    this.text += this.chunk.slice(this.i, end);
    this.i = end;
    readOn.call(this);
  };
}
