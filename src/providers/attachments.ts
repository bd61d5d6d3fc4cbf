// Replaces files anywhere in a call's input with the form that the provider accepts.
import { Attachment, type Protocol } from './provider.ts';

const MAX_DEPTH = 8;

/** Returns a copy of the value in which each attachment, at any depth, is replaced by the text that `send` returns. */
export function* replaceAttachments(
  value: unknown,
  send: (file: Attachment) => Protocol<string>,
  depth = 0,
): Protocol<unknown> {
  if (value instanceof Attachment) return yield* send(value);
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value;
  const items: unknown[] = [];
  for (const item of Object.values(value)) items.push(yield* replaceAttachments(item, send, depth + 1));
  if (Array.isArray(value)) return items;
  return Object.fromEntries(Object.keys(value).map((name, index) => [name, items[index]]));
}

export function toDataUri({ bytes, contentType }: Attachment): string {
  return `data:${contentType};base64,${bytes.toString('base64')}`;
}
