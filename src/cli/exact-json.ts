// Parses JSON without rounding numbers, so that JSON.stringify writes them unchanged.

declare global {
  interface JSON {
    /** ES2026, in Node 22 and later: JSON.stringify writes this text as is. */
    rawJSON(text: string): object;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** JSON.parse, with each number that JavaScript would change replaced by an object that stringifies to its text. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}
