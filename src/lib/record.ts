// Checks and parses JSON values.

/** Returns whether the value is an object with members: not an array, and not null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Defined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** Returns the object without its undefined members. Uses a loop, which is fast: the engine calls this for every node. */
export function omitUndefined<T extends object>(object: T): Defined<T> {
  const result: Record<string, unknown> = {};
  for (const key in object) if (object[key] !== undefined) result[key] = object[key];
  return result as Defined<T>;
}

/** Parses JSON text. Returns undefined if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
