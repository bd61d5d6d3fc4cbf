// An answer that is no stream goes out in one piece: each piece more is a turn of both processes, which callers wait for.
import type { ServerResponse } from 'node:http';
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';

/** The response as the protocol's library writes it; streams pass as they come. */
export function inOnePiece(res: ServerResponse): NodeServerResponseLike {
  let head: { readonly status: number; readonly headers: Record<string, string> } | undefined;
  const pieces: (string | Uint8Array)[] = [];
  return {
    writeHead(status, headers = {}) {
      if (headers['content-type']?.startsWith('text/event-stream')) return res.writeHead(status, headers);
      head = { status, headers };
      return res;
    },
    write(piece) {
      if (head === undefined) return res.write(piece);
      pieces.push(piece);
      return true;
    },
    end(piece) {
      if (head === undefined) return res.end(piece);
      if (piece !== undefined) pieces.push(piece);
      const body = Buffer.concat(pieces.map(it => Buffer.from(it as Uint8Array)));
      return res.writeHead(head.status, { ...head.headers, 'content-length': body.length }).end(body);
    },
    on: (event, listener) => res.on(event, listener),
    get destroyed() {
      return res.destroyed;
    },
  };
}
