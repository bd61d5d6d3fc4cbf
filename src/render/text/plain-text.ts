// Creates text content in one style from plain text, for cards and labels.
import { parseColor } from '../timeline/color.ts';
import type { TextContent } from '../timeline/draw-list.ts';
import { solid } from '../timeline/scope.ts';

export interface PlainTextStyle extends Partial<Pick<TextContent, 'minSize' | 'letterSpacing'>> {
  readonly weight: 400 | 600 | 800;
  readonly align: 'left' | 'center';
  /** The largest size. Text that does not fit becomes smaller, down to `minSize`, and is then cut off with an ellipsis. */
  readonly size: number;
  readonly lineHeight: number;
  readonly maxLines: number;
  readonly color: string;
}

export function createPlainText(text: string, { weight, color, ...style }: PlainTextStyle): TextContent {
  return {
    kind: 'text',
    runs: [{ text, family: 'Inter', weight, italic: false, size: 1 }],
    fill: solid(parseColor(color) ?? [0, 0, 0, 1]),
    minSize: style.size,
    maxSize: style.size,
    letterSpacing: 0,
    ...style,
    fit: 'shrink',
    vAlign: 'top',
    direction: 'auto',
    overflow: 'ellipsis',
    isBalanced: true,
  };
}
