// Parses JSON without rounding numbers.

/**
 * Parses JSON like `JSON.parse`, but keeps numbers verbatim that would be rounded, in browsers with `JSON.rawJSON`.
 * Throws a SyntaxError.
 */
export function parseExactJson(text: string): unknown {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  if (rawJSON === undefined) return JSON.parse(text);
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value,
  );
}
