// Accepts WebSockets in doubles, and sends frames as a test plans, also malformed ones.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface ServerSocket {
  /** The texts that the client sent. */
  readonly received: readonly string[];
  /** Sends a message as one frame. */
  send(message: string | Buffer): void;
  /** Sends bytes as they are. */
  sendRaw(bytes: Buffer): void;
  /** Breaks the connection. */
  destroy(): void;
  readonly isOpen: boolean;
}

/** Completes the handshake of an `upgrade` event. */
export function acceptSocket(req: IncomingMessage, socket: Duplex): ServerSocket {
  const accept = createHash('sha1')
    .update(`${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  socket.on('error', () => undefined).on('end', () => socket.destroy());
  const received: string[] = [];
  socket.on('data', (chunk: Buffer) => received.push(...readTexts(chunk)));
  return {
    received,
    send: message => {
      const payload = Buffer.from(message);
      socket.write(
        Buffer.concat([encodeHeader(typeof message === 'string' ? 1 : 2, payload.length), payload]),
      );
    },
    sendRaw: bytes => void socket.write(bytes),
    destroy: () => void socket.destroy(),
    get isOpen() {
      return !socket.destroyed;
    },
  };
}

/** Returns the header of an unmasked frame. */
export function encodeHeader(opcode: number, length: number, isFinal = true): Buffer {
  const first = (isFinal ? 0x80 : 0) | opcode;
  if (length < 126) return Buffer.of(first, length);
  if (length < 65_536) return Buffer.of(first, 126, length >> 8, length & 0xff);
  const header = Buffer.alloc(10);
  header[0] = first;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

/** Reads the short masked frames of a client. */
function* readTexts(chunk: Buffer): Generator<string> {
  for (let rest = chunk; rest.length >= 6; ) {
    const [first = 0, second = 0] = rest;
    const length = second & 0x7f;
    const mask = rest.subarray(2, 6);
    const payload = rest.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    if ((first & 0x0f) === 1) yield Buffer.from(payload).toString();
    rest = rest.subarray(6 + length);
  }
}
