// Probes files at the request of the parent process; ends when the channel to the parent closes.
import { writeCompileCache } from '../../lib/compile-cache.ts';
import { type FileBytes, openBytes, openInput } from '../open-input.ts';
import type { ProbeMessage, ProbeResponse, RemoteFileHead } from './child.ts';
import { readContentType, readMediaInfo } from './read-media-info.ts';

type ProbeRequest = Extract<ProbeMessage, { readonly kind: string }>;

const WORK = { info: readMediaInfo, contentType: readContentType };
/** When reading through the parent, each read may be a request to a bucket. */
const MAX_REMOTE_BYTES = 32 * 1024 * 1024;

const reads = new Map<number, (bytes: Uint8Array) => void>();
let lastRead = 0;

process.on('message', (message: ProbeMessage) => {
  if ('kind' in message) void handleRequest(message);
  else {
    reads.get(message.id)?.(message.bytes);
    reads.delete(message.id);
  }
});

async function handleRequest({ kind, file }: ProbeRequest): Promise<void> {
  send(
    await probe(kind, file).then(
      (value): ProbeResponse => ({ value }),
      (err): ProbeResponse => ({ failure: String(err) }),
    ),
  );
  writeCompileCache();
}

async function probe(kind: ProbeRequest['kind'], file: ProbeRequest['file']) {
  const input = typeof file === 'string' ? openInput(file) : openBytes(toFileBytes(file));
  try {
    return await WORK[kind](input);
  } finally {
    input.dispose();
  }
}

/** Returns a file whose bytes the parent provides. */
function toFileBytes({ size, head }: RemoteFileHead): FileBytes {
  const read = (start: number, end: number): Uint8Array | Promise<Uint8Array> => {
    if (end <= head.length) return head.subarray(start, end);
    return new Promise(resolve => {
      reads.set(++lastRead, resolve);
      send({ requested: { id: lastRead, start, end } });
    });
  };
  return { size, read, close: () => reads.clear(), maxReadBytes: MAX_REMOTE_BYTES };
}

function send(response: ProbeResponse): void {
  process.send?.(response);
}
