// Parses colors in node configs.
import { NodeError } from './define.ts';

/** A hexadecimal color, `#rgb` to `#rrggbbaa`, unchanged. */
export function color(given: string): string {
  if (/^#(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(given)) return given;
  throw new NodeError(
    'invalid_color',
    `${JSON.stringify(given.slice(0, 40))} is not a valid color. Use a form such as #1d4ed8 or #1d4ed880.`,
  );
}
