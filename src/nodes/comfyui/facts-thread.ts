// Reads ComfyUI's `/object_info` in a thread: parsing 20 MB takes longer than the event loop may be blocked.
import { gzipSync } from 'node:zlib';
import { readObjectInfo } from '../../graph/comfyui/server-facts.ts';
import { shortHash } from '../../lib/crypto.ts';
import { serveTasks } from '../../lib/threads/serve.ts';

/** The stored form of the facts, or a sentence that says why they cannot be read. */
export type ReadFacts =
  | { readonly key: string; readonly compressed: Uint8Array; readonly nodeTypes: number }
  | { readonly problem: string };

/** Reading stored facts blocks the event loop of each process that chooses servers. */
const MAX_FACTS_LENGTH = 4_000_000;

serveTasks<Uint8Array, ReadFacts>(bytes => {
  const facts = readObjectInfo(parse(bytes));
  if (typeof facts === 'string') return { problem: facts };
  const text = JSON.stringify(facts);
  if (text.length > MAX_FACTS_LENGTH)
    return { problem: 'The names of the server’s node types and model files are larger than 4 MB.' };
  return { key: shortHash(text), compressed: gzipSync(text), nodeTypes: facts.types.length };
});

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}
