// Writes plain lines and, on a terminal, colors and a live view that is redrawn.
import { styleText } from 'node:util';
import { truncateText } from './text-width.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** Whether stdout is a terminal. */
  readonly isLive: boolean;
  /** The number of columns of stdout, which is 80 in a pipe. */
  readonly width: number;
  /** Writes one line of the command's result to stdout. */
  print(line: string): void;
  /** Writes one line for the user to stderr. */
  note(line: string): void;
  /** Styles the text. Returns it unchanged if stdout has no colors or NO_COLOR is set. */
  paint(style: Style, text: string): string;
  /** Replaces the live view at the bottom of the screen. Call it only if `isLive`. */
  draw(lines: readonly string[]): void;
  /** Removes the live view. */
  erase(): void;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const ERASE_BELOW = '\x1b[J';

/** Opens the terminal on this process's stdout and stderr. */
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
      // A view taller than the screen could not be erased, so a count replaces its first lines.
      const maxLines = Math.max(3, (out.rows ?? 24) - 1);
      const hiddenCount = lines.length - maxLines + 1;
      const visibleLines =
        lines.length <= maxLines ? lines : [`  … ${hiddenCount} more above`, ...lines.slice(hiddenCount)];
      const body = visibleLines.map(line => `${truncateText(line, width() - 1)}\n`).join('');
      out.write(`${frameHeight === 0 ? HIDE_CURSOR : ''}${rewind()}${body}`);
      frameHeight = visibleLines.length;
    },
    erase() {
      if (frameHeight > 0) out.write(`${rewind()}${SHOW_CURSOR}`);
      frameHeight = 0;
    },
  };
}
