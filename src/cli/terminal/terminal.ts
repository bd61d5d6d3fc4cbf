// Where a command writes: plain lines into a pipe; on a terminal also colours and a frame of lines that is redrawn.
import { styleText } from 'node:util';
import { cutText } from './text-width.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** Whether a person watches: stdout is a terminal. */
  readonly isLive: boolean;
  /** Columns of stdout; 80 in a pipe. */
  readonly width: number;
  /** One line of the command's result, to stdout. */
  print(line: string): void;
  /** One line for the person who runs it, to stderr. */
  note(line: string): void;
  /** The text in that style; unchanged where stdout has no colours or NO_COLOR is set. */
  paint(style: Style, text: string): string;
  /** Replaces the frame at the foot of the screen by these lines. Only on a terminal. */
  draw(lines: readonly string[]): void;
  /** Takes the frame away. */
  erase(): void;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const ERASE_BELOW = '\x1b[J';

/** The terminal over this process's stdout and stderr. */
export function openTerminal(
  out: NodeJS.WriteStream = process.stdout,
  err: NodeJS.WriteStream = process.stderr,
): Terminal {
  const isLive = out.isTTY === true;
  let frameHeight = 0;
  const rewind = (): string => (frameHeight === 0 ? '' : `\x1b[${frameHeight}A\r${ERASE_BELOW}`);
  const width = (): number => Math.max(20, out.columns ?? 80);

  return {
    isLive,
    get width() {
      return width();
    },
    print: line => void out.write(`${line}\n`),
    note: line => void err.write(`${line}\n`),
    paint: (style, text) => styleText(style, text, { stream: out }),
    draw(lines) {
      // A frame taller than the screen could not be rewound, so a count replaces its first lines.
      const maxLines = Math.max(3, (out.rows ?? 24) - 1);
      const hidden = lines.length - maxLines + 1;
      const shown = lines.length <= maxLines ? lines : [`  … ${hidden} more above`, ...lines.slice(hidden)];
      const body = shown.map(line => `${cutText(line, width() - 1)}\n`).join('');
      out.write(`${frameHeight === 0 ? HIDE_CURSOR : ''}${rewind()}${body}`);
      frameHeight = shown.length;
    },
    erase() {
      if (frameHeight > 0) out.write(`${rewind()}${SHOW_CURSOR}`);
      frameHeight = 0;
    },
  };
}
