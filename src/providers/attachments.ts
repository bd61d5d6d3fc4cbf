// Files in the input of a call, wherever they stand in it, replaced by what the provider takes in their place.
import { Attachment, type Protocol } from './provider.ts';

const MAX_DEPTH = 8;

/** The value with `send`'s text in place of each attachment, in lists and objects too. */
export function* replaceAttachments(
  value: unknown,
  send: (file: Attachment) => Protocol<string>,
  depth = 0,
): Protocol<unknown> {
  if (value instanceof Attachment) return yield* send(value);
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value;
  const replaced: unknown[] = [];
  for (const item of Object.values(value)) replaced.push(yield* replaceAttachments(item, send, depth + 1));
  if (Array.isArray(value)) return replaced;
  return Object.fromEntries(Object.keys(value).map((name, index) => [name, replaced[index]]));
}

export function toDataUri({ bytes, contentType }: Attachment): string {
  return `data:${contentType};base64,${bytes.toString('base64')}`;
}
