// Server-sent events, read from a stream of bytes (WHATWG HTML §9.2, the parts that a client of this service needs).
import { ConnectionError } from './errors.ts';

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** One event contains at most a complete execution record; more than this does not come from the service. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

/** The events of the stream, in order. `onChunk` is called at each arrival, comments included. */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<ServerEvent> {
  // By a reader: not every browser iterates a stream.
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk();
      const text = decoder.decode(value, { stream: true });
      rest += text;
      if (rest.length > MAX_EVENT_CHARS)
        throw new ConnectionError('The service sent an event of more than 32 MB.');
      // A long event arrives in many chunks; only the last of them is worth a look.
      if (!text.includes('\n')) continue;
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // Closes the connection where the reader of the events stopped before their end.
    await reader.cancel().catch(() => undefined);
  }
}

/** The lines between two empty lines; undefined for comments alone. */
function parseBlock(block: string): ServerEvent | undefined {
  const fields: Record<'id' | 'event' | 'data', string[]> = { id: [], event: [], data: [] };
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === 'id' || name === 'event' || name === 'data') fields[name].push(value);
  }
  if (fields.data.length === 0) return undefined;
  return { id: fields.id.at(-1), event: fields.event.at(-1) ?? 'message', data: fields.data.join('\n') };
}
