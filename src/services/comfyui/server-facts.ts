// Loads the node types and model files of ComfyUI servers. Equal facts are in memory once.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type CompactFacts, FactsReader, type ServerFacts } from '../../graph/comfyui/server-facts.ts';
import { createLru } from '../../lib/lru.ts';
import { listFacts } from '../../store/comfyui-servers.ts';
import type { Tx } from '../../store/db.ts';

/** The most characters of the names that are kept. The names of a server with 2,000 types have about 100,000. */
const MAX_CACHED = 40_000_000;
/** The reader keeps strings of facts that are no longer cached, so it is replaced. */
const MAX_STRINGS = 1_000_000;
const MAX_FACTS_BYTES = 16_000_000;

const cache = createLru<ServerFacts>(MAX_CACHED);
let reader = new FactsReader();
const unzip = promisify(gunzip);

/** Returns the facts by key. Facts that were replaced since the key was read are absent. */
export async function loadFacts(
  tx: Tx,
  keys: readonly (string | null)[],
): Promise<ReadonlyMap<string, ServerFacts>> {
  const facts = new Map<string, ServerFacts>();
  const absent = new Set<string>();
  for (const key of keys) {
    if (key === null) continue;
    const cached = cache.get(key);
    if (cached === undefined) absent.add(key);
    else facts.set(key, cached);
  }
  if (absent.size === 0) return facts;
  for (const { facts_key, facts: compressed } of await listFacts(tx, [...absent])) {
    const text = (await unzip(compressed, { maxOutputLength: MAX_FACTS_BYTES })).toString();
    if (reader.size > MAX_STRINGS) reader = new FactsReader();
    const read = reader.read(JSON.parse(text) as CompactFacts);
    cache.set(facts_key, read, text.length);
    facts.set(facts_key, read);
  }
  return facts;
}
