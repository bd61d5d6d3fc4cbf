// JSON whose numbers stay as they are written: large integers and long fractions pass through unrounded.

/** As JSON.parse; in browsers that can, numbers that would be rounded go out again as they came. Throws a SyntaxError. */
export function parseExact(text: string): unknown {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  if (rawJSON === undefined) return JSON.parse(text);
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value,
  );
}
