// The process that probes files on request of its parent; it ends when the channel to the parent closes.
import { keepCompiled } from '../../lib/compile-cache.ts';
import { type FileBytes, openBytes, openInput } from '../open-input.ts';
import type { ProbeMessage, ProbeResponse, SentFile } from './child.ts';
import { readContentType, readFacts } from './read-facts.ts';

type Question = Extract<ProbeMessage, { readonly what: string }>;

const WORK = { facts: readFacts, contentType: readContentType };
/** When reading through the parent, each read may be a request to a bucket. */
const MAX_REMOTE_BYTES = 32 * 1024 * 1024;

const reads = new Map<number, (bytes: Uint8Array) => void>();
let lastRead = 0;

process.on('message', (message: ProbeMessage) => {
  if ('what' in message) void answer(message);
  else {
    reads.get(message.id)?.(message.bytes);
    reads.delete(message.id);
  }
});

async function answer({ what, file }: Question): Promise<void> {
  send(
    await probe(what, file).then(
      (value): ProbeResponse => ({ value }),
      (err): ProbeResponse => ({ failure: String(err) }),
    ),
  );
  keepCompiled();
}

async function probe(what: Question['what'], file: Question['file']) {
  const input = typeof file === 'string' ? openInput(file) : openBytes(remote(file));
  try {
    return await WORK[what](input);
  } finally {
    input.dispose();
  }
}

/** A file whose bytes the parent provides. */
function remote({ size, head }: SentFile): FileBytes {
  const read = (start: number, end: number): Uint8Array | Promise<Uint8Array> => {
    if (end <= head.length) return head.subarray(start, end);
    return new Promise(resolve => {
      reads.set(++lastRead, resolve);
      send({ requested: { id: lastRead, start, end } });
    });
  };
  return { size, read, close: () => reads.clear(), maxReadBytes: MAX_REMOTE_BYTES };
}

function send(answer: ProbeResponse): void {
  process.send?.(answer);
}
