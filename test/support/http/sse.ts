// Reads server-sent events as they arrive.
import assert from 'node:assert/strict';

export interface ServerEvent {
  readonly event: string;
  readonly id: number | undefined;
  readonly data: Record<string, unknown>;
}

export interface EventStream {
  readonly status: number;
  /** The events received so far. */
  readonly events: readonly ServerEvent[];
  readonly comments: readonly string[];
  /** Resolves when the service closes the stream. */
  readonly closed: Promise<void>;
  hangUp(): void;
}

/** Opens a stream and reads it in the background. */
export async function openStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const events: ServerEvent[] = [];
  const comments: string[] = [];
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith(':')) comments.push(block);
        else events.push(parseEvent(block));
      }
    }
    if (response.ok) assert.equal(text, '', 'the stream ended within an event');
  };
  const closed = read().catch((err: Error) => {
    if (!abort.signal.aborted) throw err;
  });
  return { status: response.status, events, comments, closed, hangUp: () => abort.abort() };
}

function parseEvent(block: string): ServerEvent {
  const fields = Object.fromEntries(
    block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    event: fields.event ?? '',
    id: fields.id === undefined ? undefined : Number(fields.id),
    data: JSON.parse(fields.data ?? 'null'),
  };
}
