// Parses colors in node configs.
import { NodeError } from './define.ts';

/** Returns a hexadecimal color (`#rgb` to `#rrggbbaa`) unchanged. Throws NodeError for anything else. */
export function parseColor(value: string): string {
  if (/^#(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value)) return value;
  throw new NodeError(
    'invalid_color',
    `${JSON.stringify(value.slice(0, 40))} is not a valid color. Use a form such as #1d4ed8 or #1d4ed880.`,
  );
}
