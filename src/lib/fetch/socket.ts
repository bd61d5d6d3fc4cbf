// Opens WebSockets (RFC 6455) to addresses that users or providers supply, through the pools of the guarded client. Uses no
// extensions. Whatever the server sends, it keeps only messages up to a size, and reads only so many bytes per second.
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Agent } from 'undici';
import { startDeadline } from '../deadline.ts';
import { yieldTurn } from '../yield-turn.ts';
import { createFetchError, toFetchError } from './error.ts';

export interface SocketRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  /** Limits the time until the connection is open. */
  readonly timeoutMs: number;
  /** Larger messages are left out. */
  readonly maxMessageBytes: number;
  /** A server that sends more is disconnected. */
  readonly maxBytesPerSecond: number;
  /** An origin that the operator configured for this request: reachable even if its address is private. */
  readonly trustedOrigin?: string;
}

export interface SocketMessage {
  readonly isText: boolean;
  readonly data: Buffer;
}

export interface OpenedSocket {
  /** Yields the messages until the connection ends. Leaving the loop closes the connection. Throws FetchError. */
  readonly messages: AsyncGenerator<SocketMessage>;
  /** Sends a text of at most 125 bytes. */
  send(text: string): void;
  close(): void;
}

// RFC 6455 §1.3.
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Opens the connection with an agent that may reach the address. Throws FetchError. */
export async function openSocket(url: URL, request: SocketRequest, agent: Agent): Promise<OpenedSocket> {
  const key = randomBytes(16).toString('base64');
  using deadline = startDeadline(request.timeoutMs, request.signal);
  const host = url.hostname;
  try {
    const { upgrade } = await import('undici');
    const { socket, headers } = await upgrade(url, {
      dispatcher: agent,
      protocol: 'websocket',
      headers: {
        'user-agent': 'Graphwright',
        ...request.headers,
        'sec-websocket-key': key,
        'sec-websocket-version': '13',
      },
      signal: deadline.signal,
    });
    const expected = createHash('sha1')
      .update(key + ACCEPT_SUFFIX)
      .digest('base64');
    if (headers['sec-websocket-accept'] !== expected) {
      socket.on('error', () => undefined).destroy();
      throw createFetchError('connection_lost', host);
    }
    return connect(socket, request, host);
  } catch (err) {
    const isAborted = request.signal.aborted;
    throw toFetchError(err, { host, maybeSent: true, isLate: deadline.isPast, isAborted });
  }
}

function connect(socket: Duplex, request: SocketRequest, host: string): OpenedSocket {
  const close = (): void => void socket.destroy();
  // Errors end the loop over the messages. A socket that nobody reads must not end the process.
  socket.on('error', () => undefined);
  socket.once('close', () => request.signal.removeEventListener('abort', close));
  request.signal.addEventListener('abort', close, { once: true });
  if (request.signal.aborted) close();
  return {
    messages: readMessages(socket, request, host),
    send: text => void socket.write(encodeFrame('text', Buffer.from(text))),
    close,
  };
}

async function* readMessages(
  socket: Duplex,
  { maxMessageBytes, maxBytesPerSecond }: SocketRequest,
  host: string,
): AsyncGenerator<SocketMessage> {
  const reader = new FrameReader(maxMessageBytes);
  let bytes = 0;
  let secondStartMs = performance.now();
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      await yieldTurn();
      if (performance.now() - secondStartMs >= 1000) [bytes, secondStartMs] = [0, performance.now()];
      bytes += chunk.length;
      if (bytes > maxBytesPerSecond) throw createFetchError('too_large', host);
      for (const event of reader.read(chunk)) {
        if (event.kind === 'message') yield event;
        else if (event.kind === 'close') return;
        // A server that sends pings and reads no answers gets none.
        else if (!socket.writableNeedDrain) socket.write(encodeFrame('pong', event.data));
      }
    }
  } catch (err) {
    throw toFetchError(err, { host, maybeSent: true, isLate: false, isAborted: false });
  } finally {
    socket.destroy();
  }
}

/** A complete message, or the answer that a control frame requires. */
export type FrameEvent =
  | { readonly kind: 'message'; readonly isText: boolean; readonly data: Buffer }
  | { readonly kind: 'ping'; readonly data: Buffer }
  | { readonly kind: 'close' };

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const MAX_HEADER_BYTES = 10;
const MAX_CONTROL_BYTES = 125;

/** Thrown when the bytes are not frames. */
export class FrameError extends Error {}

/** Collects bytes whose number is not known in advance. */
class GrowingBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(4096, 2 * this.#bytes.length, length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Returns the bytes and starts again without any. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}

interface Frame {
  readonly isFinal: boolean;
  readonly opcode: number;
  /** The bytes of the payload that have not arrived. */
  remaining: number;
}

export class FrameReader {
  readonly #maxMessageBytes: number;
  readonly #header = Buffer.alloc(MAX_HEADER_BYTES);
  #headerLength = 0;
  readonly #control = new GrowingBuffer();
  readonly #message = new GrowingBuffer();
  /** The frame whose payload arrives. */
  #frame: Frame | undefined;
  /** The type of the message whose frames arrive. */
  #messageOpcode: number | undefined;
  #isTooLarge = false;

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Yields what the bytes complete. Throws FrameError if they are not frames. */
  *read(chunk: Buffer): Generator<FrameEvent> {
    let rest = chunk;
    for (;;) {
      if (this.#frame === undefined) rest = rest.subarray(this.#readHeader(rest));
      const frame: Frame | undefined = this.#frame;
      if (frame === undefined) return;
      const payload = rest.subarray(0, frame.remaining);
      rest = rest.subarray(payload.length);
      frame.remaining -= payload.length;
      this.#append(frame, payload);
      if (frame.remaining > 0) return;
      this.#frame = undefined;
      const event = this.#finish(frame);
      if (event !== undefined) yield event;
    }
  }

  /** Returns how many bytes belong to the header. Sets `#frame` once the header is complete. */
  #readHeader(chunk: Buffer): number {
    let used = 0;
    for (;;) {
      const total = this.#headerLength < 2 ? 2 : getHeaderBytes(this.#header);
      if (this.#headerLength === total && total >= 2) break;
      if (used === chunk.length) return used;
      const copied = chunk.copy(this.#header, this.#headerLength, used, used + total - this.#headerLength);
      this.#headerLength += copied;
      used += copied;
    }
    this.#headerLength = 0;
    this.#startFrame(parseHeader(this.#header));
    return used;
  }

  #startFrame(frame: Frame): void {
    const isControl = frame.opcode >= OPCODES.close;
    if (isControl && (frame.remaining > MAX_CONTROL_BYTES || !frame.isFinal))
      throw new FrameError('a control frame is too long');
    const isContinuation = frame.opcode === OPCODES.continuation;
    if (!isControl && isContinuation !== (this.#messageOpcode !== undefined))
      throw new FrameError('the frames of a message are out of order');
    if (!isControl && !isContinuation) this.#messageOpcode = frame.opcode;
    this.#frame = frame;
  }

  #append({ opcode }: Frame, payload: Buffer): void {
    if (opcode >= OPCODES.close) {
      this.#control.append(payload);
      return;
    }
    if (this.#message.length + payload.length > this.#maxMessageBytes) {
      this.#isTooLarge = true;
      this.#message.take();
    }
    if (!this.#isTooLarge) this.#message.append(payload);
  }

  #finish({ opcode, isFinal }: Frame): FrameEvent | undefined {
    if (opcode >= OPCODES.close) {
      const data = this.#control.take();
      if (opcode === OPCODES.close) return { kind: 'close' };
      return opcode === OPCODES.ping ? { kind: 'ping', data } : undefined;
    }
    if (!isFinal) return undefined;
    const [isText, isTooLarge] = [this.#messageOpcode === OPCODES.text, this.#isTooLarge];
    this.#messageOpcode = undefined;
    this.#isTooLarge = false;
    const data = this.#message.take();
    return isTooLarge ? undefined : { kind: 'message', isText, data };
  }
}

const KNOWN_OPCODES: ReadonlySet<number> = new Set(Object.values(OPCODES));

/** Returns the length of a header whose first two bytes are known. */
function getHeaderBytes(header: Buffer): number {
  const short = (header[1] ?? 0) & 0x7f;
  return short === 127 ? 10 : short === 126 ? 4 : 2;
}

function parseHeader(header: Buffer): Frame {
  const [first = 0, second = 0] = header;
  const opcode = first & 0x0f;
  if ((first & 0x70) !== 0 || !KNOWN_OPCODES.has(opcode))
    throw new FrameError('a frame has an unknown type or extension');
  if ((second & 0x80) !== 0) throw new FrameError('a frame of the server is masked');
  const short = second & 0x7f;
  const remaining =
    short === 127 ? Number(header.readBigUInt64BE(2)) : short === 126 ? header.readUInt16BE(2) : short;
  return { isFinal: (first & 0x80) !== 0, opcode, remaining };
}

/** Returns the frame of a short message of the client, which must be masked. */
function encodeFrame(kind: 'text' | 'pong' | 'close', payload: Buffer): Buffer {
  if (payload.length > MAX_CONTROL_BYTES) throw new RangeError('The payload of the frame is too long.');
  const mask = randomBytes(4);
  const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([Buffer.of(0x80 | OPCODES[kind], 0x80 | payload.length), mask, masked]);
}
