// Tests parsing server-sent events that are split into chunks at any byte.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createParser } from 'eventsource-parser';
import { parseEvents, type ServerEvent } from '../../sdk/src/server-events.ts';

async function parse(text: string, chunkBytes: number): Promise<ServerEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, i) =>
    bytes.subarray(i * chunkBytes, (i + 1) * chunkBytes),
  );
  const events: ServerEvent[] = [];
  for await (const event of parseEvents(ReadableStream.from(chunks), () => undefined)) events.push(event);
  return events;
}

const STREAM =
  ': hello\n\nid: 1\nevent: snapshot\ndata: {"a":"é🌅"}\n\n: ping\n\nevent: progress\ndata: {"b":\ndata: 2}\n\nid: 2\ndata: last\n\nevent: cut';

it('parseEvents returns the complete events of chunks of any size', async () => {
  for (const chunkBytes of [1, 2, 7, 1000]) {
    assert.deepEqual(await parse(STREAM, chunkBytes), [
      { id: '1', event: 'snapshot', data: '{"a":"é🌅"}' },
      { id: undefined, event: 'progress', data: '{"b":\n2}' },
      { id: '2', event: 'message', data: 'last' },
    ]);
  }
});

it('parseEvents accepts lines that end with CR LF', async () => {
  assert.deepEqual(await parse('id:7\r\ndata:x\r\n\r\n', 3), [{ id: '7', event: 'message', data: 'x' }]);
});

it('parseEvents rejects an event larger than 32 MB', async () => {
  await assert.rejects(parse(`data: ${'x'.repeat(33 * 1024 * 1024)}`, 1 << 20), /an event larger than 32 MB/);
});

it('parseEvents returns the same events as the library eventsource-parser', async () => {
  let total = 0;
  for (let seed = 1; seed <= 50; seed++) {
    const stream = Array.from({ length: 20 }, (_, i) => {
      const lines = [
        `id: ${seed * i}`,
        'event: node',
        `data: ${'é🌅 :x'.repeat((seed * i) % 7)}`,
        'data:',
        ': c',
      ];
      return `${lines.filter((_, index) => (seed * (i + 3)) % (index + 2) !== 0).join(seed % 2 ? '\n' : '\r\n')}\n\n`;
    }).join('');
    const expected: ServerEvent[] = [];
    const parser = createParser({
      onEvent: ({ id, event = 'message', data }) => expected.push({ id, event, data }),
    });
    parser.feed(stream);
    assert.deepEqual(await parse(stream, 1 + (seed % 9)), expected, JSON.stringify(stream));
    total += expected.length;
  }
  assert.ok(total > 100, String(total));
});
