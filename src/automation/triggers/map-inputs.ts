// Maps a payload to the inputs of a run by JSON pointers.
import { unescapeSegment } from '../../graph/issues.ts';
import { AppError } from '../../lib/errors.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { joinMembers } from '../../lib/json-scan.ts';
import { isRecord } from '../../lib/record.ts';
import { MAX_RUN_INPUT_BYTES } from '../../runs/prepare/run-request.ts';

/**
 * Returns the inputs of a run as JSON text. Omits inputs whose pointers find no value. Throws 413 `payload_too_large` if the
 * inputs have more than 4 MB, because many inputs may select the same large value. Pointers to members select from `members`.
 */
export function mapInputs(pointersText: string, payload: unknown, members: unknown = payload): string {
  const pointers = JSON.parse(pointersText) as Readonly<Record<string, string>>;
  // Each value is serialized once, however many inputs select it.
  const texts = new Map<unknown, string>();
  const inputs: (readonly [string, string])[] = [];
  let bytes = 2;
  for (const [nodeId, pointer] of Object.entries(pointers)) {
    const value = resolvePointer(pointer === '' ? payload : members, pointer);
    if (value === undefined || value === null) continue;
    const text = getOrCreate(texts, value, () => JSON.stringify(value));
    // 4 for the quotes, the colon and the comma of a member.
    bytes += Buffer.byteLength(nodeId) + Buffer.byteLength(text) + 4;
    if (bytes > MAX_RUN_INPUT_BYTES) throw createTooLargeError();
    inputs.push([nodeId, text]);
  }
  return joinMembers(inputs);
}

const createTooLargeError = (): AppError =>
  new AppError(
    'payload_too_large',
    `The inputs that the trigger takes from this payload have more than ${MAX_RUN_INPUT_BYTES} bytes in all. Map fewer inputs, or smaller parts of the payload.`,
  );

/** Returns the value at a JSON pointer (RFC 6901), or undefined. */
function resolvePointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = unescapeSegment(part);
    // An exact number is an object, but has no members.
    if (JSON.isRawJSON(current)) return undefined;
    if (Array.isArray(current))
      current = /^(?:0|[1-9]\d{0,8})$/.test(name) ? current[Number(name)] : undefined;
    else if (isRecord(current)) current = Object.hasOwn(current, name) ? current[name] : undefined;
    else return undefined;
  }
  return current;
}
