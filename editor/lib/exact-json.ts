// Parses and formats JSON without rounding numbers: large integers and long fractions stay as written.

/**
 * Like JSON.parse. In browsers that support it, numbers that would be rounded are kept verbatim. Throws a SyntaxError.
 */
export function parseExact(text: string): unknown {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  if (rawJSON === undefined) return JSON.parse(text);
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value,
  );
}
