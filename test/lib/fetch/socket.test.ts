// Tests the WebSocket client with a server that also sends malformed, large and many messages.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  FrameError,
  FrameReader,
  type OpenedSocket,
  type SocketMessage,
  type SocketRequest,
} from '../../../src/lib/fetch/socket.ts';
import { createGuardedFetch, type GuardedFetch } from '../../../src/lib/fetch.ts';
import { waitUntil } from '../../support/processes.ts';
import { acceptSocket, encodeHeader, type ServerSocket } from '../../support/socket-server.ts';

const LIMITS = { timeoutMs: 5000, maxMessageBytes: 1000, maxBytesPerSecond: 100_000 };
const toText = ({ data }: SocketMessage): string => data.toString();

describe('the WebSocket client', () => {
  let onUpgrade: (req: IncomingMessage, socket: Duplex) => void;
  let peers: ServerSocket[] = [];
  let client: GuardedFetch;
  let url = '';
  const server = createServer((_, res) => res.end('no socket'));
  server.on('upgrade', (req, socket) => onUpgrade(req, socket));

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = createGuardedFetch({ allowPrivate: false, trustedUrls: [url] });
  });
  beforeEach(() => {
    peers = [];
    onUpgrade = (req, socket) => peers.push(acceptSocket(req, socket));
  });
  after(async () => {
    await client.close();
    server.close();
  });

  const open = (over: Partial<SocketRequest> = {}): Promise<OpenedSocket> =>
    client.connect(`${url}/ws?clientId=a`, { ...LIMITS, signal: new AbortController().signal, ...over });
  const getPeer = (): ServerSocket => {
    assert.ok(peers[0] !== undefined);
    return peers[0];
  };
  const readAll = async (socket: OpenedSocket): Promise<string[]> =>
    (await Array.fromAsync(socket.messages)).map(toText);

  it('sends and receives messages, and answers pings', async () => {
    const socket = await open();
    socket.send('hello');
    await waitUntil('the text', () => getPeer().received.length > 0);
    assert.deepEqual(getPeer().received, ['hello']);
    getPeer().send('one');
    getPeer().send(Buffer.from('two'));
    getPeer().sendRaw(Buffer.concat([encodeHeader(9, 1), Buffer.from('p'), encodeHeader(8, 0)]));
    const messages = await Array.fromAsync(socket.messages);
    assert.deepEqual(
      messages.map(message => [message.isText, toText(message)]),
      [
        [true, 'one'],
        [false, 'two'],
      ],
    );
    await waitUntil('the end', () => !getPeer().isOpen);
  });

  it('joins the frames of a message, with control frames between them, however the bytes are cut', async () => {
    const bytes = Buffer.concat([
      encodeHeader(1, 3, false),
      Buffer.from('abc'),
      encodeHeader(9, 0),
      encodeHeader(0, 0, false),
      encodeHeader(0, 400),
      Buffer.alloc(400, 'x'),
      encodeHeader(1, 1),
      Buffer.from('d'),
    ]);
    for (const size of [1, 2, 7, bytes.length]) {
      const reader = new FrameReader(1000);
      const texts: string[] = [];
      for (let start = 0; start < bytes.length; start += size)
        for (const event of reader.read(bytes.subarray(start, start + size)))
          if (event.kind === 'message') texts.push(event.data.toString());
      assert.deepEqual(texts, [`abc${'x'.repeat(400)}`, 'd'], `in pieces of ${size}`);
    }
  });

  it('rejects bytes that are not frames of a server', () => {
    const invalid = {
      masked: Buffer.of(0x81, 0x81, 0, 0, 0, 0, 0),
      compressed: Buffer.concat([Buffer.of(0xc1, 1), Buffer.from('x')]),
      unknown: encodeHeader(3, 0),
      'long ping': encodeHeader(9, 126),
      'ping in parts': encodeHeader(9, 0, false),
      'continuation of nothing': encodeHeader(0, 0),
      'message within a message': Buffer.concat([encodeHeader(1, 0, false), encodeHeader(1, 0)]),
    };
    for (const [name, bytes] of Object.entries(invalid))
      assert.throws(() => [...new FrameReader(1000).read(bytes)], FrameError, name);
  });

  it('leaves out messages that are too large, in one frame or in many, and keeps none of their bytes', async () => {
    const socket = await open({ maxBytesPerSecond: 1e9 });
    const peer = getPeer();
    peer.sendRaw(encodeHeader(2, 100_000_000));
    const part = Buffer.alloc(1_000_000);
    const before = process.memoryUsage().arrayBuffers;
    for (let sent = 0; sent < 100; sent++) peer.sendRaw(part);
    for (let sent = 0; sent < 20; sent++) {
      peer.sendRaw(encodeHeader(sent === 0 ? 1 : 0, 100, false));
      peer.sendRaw(Buffer.alloc(100));
    }
    peer.sendRaw(encodeHeader(0, 0));
    peer.send('small');
    peer.sendRaw(encodeHeader(8, 0));
    assert.deepEqual(await readAll(socket), ['small']);
    assert.ok(process.memoryUsage().arrayBuffers - before < 50_000_000);
  });

  it('disconnects a server that sends too much', async () => {
    const socket = await open();
    for (let sent = 0; sent < 300; sent++) getPeer().send('x'.repeat(900));
    await assert.rejects(readAll(socket), { code: 'too_large' });
    await waitUntil('the end', () => !getPeer().isOpen);
  });

  it('ends when the connection breaks, the caller leaves the loop, or the signal fires', async () => {
    const broken = await open();
    getPeer().destroy();
    assert.deepEqual(await readAll(broken).catch(({ code }) => [code]), []);

    const left = await open();
    peers[1]?.send('a');
    for await (const message of left.messages) {
      assert.equal(toText(message), 'a');
      break;
    }
    const stop = new AbortController();
    const stopped = await open({ signal: stop.signal });
    const messages = readAll(stopped).catch(() => []);
    stop.abort();
    await messages;
    await waitUntil('the ends', () => peers.every(({ isOpen }) => !isOpen));
  });

  it('refuses servers without WebSockets, with a wrong answer, or too slow, and blocked addresses', async () => {
    server.removeAllListeners('upgrade');
    await assert.rejects(open(), { name: 'FetchError' });
    server.on('upgrade', (req, socket) => onUpgrade(req, socket));
    onUpgrade = (_, socket) =>
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: x\r\n\r\n',
      );
    await assert.rejects(open(), { code: 'connection_lost' });
    onUpgrade = () => undefined;
    await assert.rejects(open({ timeoutMs: 50 }), { code: 'timeout' });
    const connect = (address: string) =>
      client.connect(address, { ...LIMITS, signal: new AbortController().signal });
    await assert.rejects(connect('http://10.0.0.1/ws'), { code: 'blocked_address' });
    await assert.rejects(connect('ws://example.com/'), { code: 'bad_url' });
  });
});
