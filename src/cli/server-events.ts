// Server-sent events, read from a stream of bytes. The one owner of the parser.
import { createParser } from 'eventsource-parser';

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** One event holds at most a complete execution record; more than this is no service of ours. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

/** The events of the stream, in order. `onChunk` is called for all that arrives, comments included. */
export async function* parseEvents(
  body: AsyncIterable<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const parsed: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event = 'message', data }) => parsed.push({ id, event, data }),
    onError: err => {
      if (err.type !== 'max-buffer-size-exceeded') return;
      throw new Error('The service sent an event of more than 32 MB.', { cause: err });
    },
    maxBufferSize: MAX_EVENT_CHARS,
  });
  for await (const chunk of body) {
    onChunk();
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* parsed.splice(0);
  }
}
