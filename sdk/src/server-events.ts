// Parses server-sent events (WHATWG HTML §9.2, the parts that this service uses).
import { ConnectionError } from './errors.ts';

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Larger than any event of the service, which contains at most an execution record. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

/** Yields the events of the stream in order. `onChunk` is called for each chunk, including comments. */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<ServerEvent> {
  // Uses a reader, because not all browsers support iterating a stream.
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let incomplete = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk();
      const text = decoder.decode(value, { stream: true });
      incomplete += text;
      if (incomplete.length > MAX_EVENT_CHARS)
        throw new ConnectionError('The service sent an event larger than 32 MB.');
      // A large event arrives in many chunks. Only a chunk with a line break can complete it.
      if (!text.includes('\n')) continue;
      const blocks = incomplete.split(/\r?\n\r?\n/);
      incomplete = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // Closes the connection if the consumer stopped before the end.
    await reader.cancel().catch(() => undefined);
  }
}

/** Parses the lines between two empty lines. Returns undefined if they are only comments. */
function parseBlock(block: string): ServerEvent | undefined {
  const fields: Record<'id' | 'event' | 'data', string[]> = { id: [], event: [], data: [] };
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === 'id' || name === 'event' || name === 'data') fields[name].push(value);
  }
  if (fields.data.length === 0) return undefined;
  return { id: fields.id.at(-1), event: fields.event.at(-1) ?? 'message', data: fields.data.join('\n') };
}
