// Server-sent events, read from a stream of bytes (WHATWG HTML §9.2, the parts that a client of this service needs).

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** One event holds at most a whole execution record; more than this is no service of ours. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

/** The events of the stream, in order. `onChunk` is told of every arrival, comments included. */
export async function* parseEvents(
  body: AsyncIterable<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    onChunk();
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > MAX_EVENT_CHARS) throw new Error('The service sent an event of more than 32 MB.');
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== undefined) yield event;
    }
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
