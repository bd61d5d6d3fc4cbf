// Checks JSON text before it is parsed: how deep it is, and how many objects, arrays and properties it has.

/** Far more than anyone needs, far less than recursion can handle. */
const MAX_NESTING = 256;
/** 4 MB of brackets could contain a million objects and arrays, which take seconds to build and to traverse. */
const MAX_CONTAINERS = 400_000;
/** V8 stores objects with more than some thousand properties as hash tables, which are slow to create and to copy. */
const MAX_PROPERTIES = 50_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns a phrase like "has more than 400000 objects and arrays" if the JSON text exceeds a limit, before it is parsed.
 * `maxValues` limits all values, numbers and texts included.
 */
export function findShapeProblem(body: Uint8Array, maxValues = Number.POSITIVE_INFINITY): string | undefined {
  if (body.length <= MAX_NESTING * 2) return undefined;
  let depth = 0;
  let containers = 0;
  let commas = 0;
  // The number of properties of the open object at each depth.
  const propertyCounts = new Uint32Array(MAX_NESTING + 1);
  for (let index = 0; index < body.length; index++) {
    const byte = body[index];
    if (byte === 0x5b /* [ */ || byte === 0x7b /* { */) {
      depth++;
      containers++;
      if (depth > MAX_NESTING) return `is nested more than ${MAX_NESTING} levels deep`;
      if (containers + commas > maxValues) return `has more than ${maxValues} values`;
      if (containers > MAX_CONTAINERS) return `has more than ${MAX_CONTAINERS} objects and arrays`;
      propertyCounts[depth] = 0;
    } else if (byte === 0x5d /* ] */ || byte === 0x7d /* } */) {
      if (depth > 0) depth--;
    } else if (byte === 0x3a /* : */) {
      const count = (propertyCounts[depth] ?? 0) + 1;
      if (count > MAX_PROPERTIES) return `has an object with more than ${MAX_PROPERTIES} properties`;
      propertyCounts[depth] = count;
    } else if (byte === 0x2c /* , */) {
      commas++;
      if (containers + commas > maxValues) return `has more than ${maxValues} values`;
    } else if (byte === QUOTE) index = findStringEnd(body, index);
  }
  return undefined;
}

function findStringEnd(body: Uint8Array, start: number): number {
  for (let index = start + 1; index < body.length; index++) {
    if (body[index] === QUOTE) return index;
    if (body[index] === BACKSLASH) index++;
  }
  return body.length;
}
