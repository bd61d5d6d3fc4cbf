// Probes files at the request of the parent process, and ends when the channel to the parent closes.
import { flushCompileCache } from 'node:module';
import { openBytes, openFile } from '../open-input.ts';
import { type FileBytes, findUnpaddedSamples } from '../tolerant-file.ts';
import type { MessageFromChild, MessageToChild, RemoteFileHead } from './child.ts';
import { readContentType, readMediaInfo } from './read-media-info.ts';

type ProbeRequest = Extract<MessageToChild, { readonly kind: string }>;

const READERS = { info: readMediaInfo, contentType: readContentType };
/** Limit for reads through the parent, each of which may be a request to a bucket. */
const MAX_REMOTE_BYTES = 32 * 1024 * 1024;

const pendingReads = new Map<number, (bytes: Uint8Array) => void>();
let lastReadId = 0;

process.on('message', (message: MessageToChild) => {
  if ('kind' in message) void handleRequest(message);
  else {
    pendingReads.get(message.id)?.(message.bytes);
    pendingReads.delete(message.id);
  }
});

async function handleRequest({ kind, file }: ProbeRequest): Promise<void> {
  send(
    await probe(kind, file).then(
      (value): MessageFromChild => ({ value }),
      (err): MessageFromChild => ({ failure: String(err) }),
    ),
  );
  // Node itself writes the cache only on a normal exit, but this process is killed.
  flushCompileCache();
}

async function probe(kind: ProbeRequest['kind'], file: ProbeRequest['file']) {
  const bytes = typeof file === 'string' ? openFile(file) : toFileBytes(file);
  const input = openBytes(bytes);
  try {
    const result = await READERS[kind](input);
    if (typeof result === 'string' || result.container !== 'wav' || result.audio === undefined) return result;
    const samples = await findUnpaddedSamples(bytes);
    return samples === undefined ? result : { ...result, audio: { ...result.audio, samples } };
  } finally {
    input.dispose();
  }
}

/** Returns a file whose bytes the parent provides. */
function toFileBytes({ size, head }: RemoteFileHead): FileBytes {
  const read = (start: number, end: number): Uint8Array | Promise<Uint8Array> => {
    if (end <= head.length) return head.subarray(start, end);
    return new Promise(resolve => {
      pendingReads.set(++lastReadId, resolve);
      send({ requested: { id: lastReadId, start, end } });
    });
  };
  return { size, read, close: () => pendingReads.clear(), maxReadBytes: MAX_REMOTE_BYTES };
}

function send(response: MessageFromChild): void {
  process.send?.(response);
}
