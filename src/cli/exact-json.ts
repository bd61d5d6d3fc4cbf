// Reads JSON without rounding its numbers: JSON.stringify writes them again as they were read.

declare global {
  interface JSON {
    /** ES2026, in Node 22 and later: what JSON.stringify writes as this text. */
    rawJSON(text: string): object;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** JSON.parse, with an object that stringifies to the number's text for each number that JavaScript would change. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}
