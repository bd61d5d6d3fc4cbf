// Maps a payload to the inputs of a run by JSON pointers.
import { unescapeSegment } from '../../graph/issues.ts';
import { isRecord } from '../../lib/record.ts';

/** Returns the inputs of a run as JSON text. Omits inputs whose pointers find no value. */
export function mapInputs(pointersText: string, payload: unknown): string {
  const pointers = JSON.parse(pointersText) as Readonly<Record<string, string>>;
  const inputs = Object.entries(pointers).flatMap(([nodeId, pointer]) => {
    const value = resolvePointer(payload, pointer);
    return value === undefined || value === null ? [] : [[nodeId, value] as const];
  });
  return JSON.stringify(Object.fromEntries(inputs));
}

/** Returns the value at a JSON pointer (RFC 6901), or undefined. */
function resolvePointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = unescapeSegment(part);
    if (Array.isArray(current))
      current = /^(?:0|[1-9]\d{0,8})$/.test(name) ? current[Number(name)] : undefined;
    else if (isRecord(current)) current = Object.hasOwn(current, name) ? current[name] : undefined;
    else return undefined;
  }
  return current;
}
