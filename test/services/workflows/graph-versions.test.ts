// Tests the cache of versions and their expansions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Graph } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';
import {
  createGraphVersions,
  createRunnableGraph,
  createVersion,
  type GraphVersion,
} from '../../../src/services/workflows/graph-versions.ts';
import type { Tx } from '../../../src/store/db.ts';

const catalog = createNodeCatalog({ SANDBOX_MODELS: true });
const EMPTY = '"nodes":[],"edges":[]';
/** A database that has no versions, so that only cached ones are found. */
const tx: Tx = { query: async () => ({ rows: [], rowCount: 0 }) };

async function cacheVersions(count: number) {
  const versions = createGraphVersions(catalog);
  const list: GraphVersion[] = [];
  for (let number = 1; number <= count; number++) {
    versions.cache('wf', number, EMPTY);
    list.push(await versions.get(tx, 'wf', number));
  }
  return { versions, list };
}

function createExpansion(nodeCount = 0) {
  const nodes = Array.from({ length: nodeCount }, () => ({})) as unknown as Graph['nodes'];
  const version = createRunnableGraph(
    { graph: { nodes, edges: [] }, mentionsSecrets: false, characters: 0 },
    catalog,
  );
  return { version, key: '', entries: catalog.entries };
}

describe('the expansions of versions', () => {
  it('are charged with their size and nodes, not with the text of the version', async () => {
    for (const [nodeCount, characters] of [
      [0, 10_000_000],
      [2000, 8_000_000],
    ] as const) {
      const { versions, list } = await cacheVersions(10);
      for (const version of list) versions.cacheExpansion(version, createExpansion(nodeCount), characters);
      const cachedCount = list.filter(version => versions.findExpansion(version) !== undefined).length;
      assert.equal(cachedCount, 3);
    }
  });

  it('are found even if the version was read again', async () => {
    const { versions, list } = await cacheVersions(1);
    const expansion = createExpansion();
    versions.cacheExpansion(list[0] as GraphVersion, expansion, 1);
    versions.cache('wf', 1, EMPTY);
    assert.equal(versions.findExpansion(await versions.get(tx, 'wf', 1)), expansion);
  });

  it('are not cached for a version that is not stored, which nobody finds again', async () => {
    const { versions } = await cacheVersions(1);
    const version = createVersion({ text: EMPTY }, catalog);
    versions.cacheExpansion(version, createExpansion(), 1);
    assert.equal(versions.findExpansion(version), undefined);
  });
});

describe('the memory of a graph', () => {
  it('includes the values that it shares, and each of its nodes', () => {
    const graph = { nodes: Array(10).fill({}), edges: [] } as unknown as Graph;
    const measure = (characters: number): number =>
      createRunnableGraph({ graph, mentionsSecrets: false, characters }, catalog).memoryBytes;
    assert.ok(measure(0) >= 2000);
    assert.ok(measure(1000) - measure(0) >= 1000);
    const version = createVersion({ text: EMPTY }, catalog);
    assert.ok(version.memoryBytes >= EMPTY.length);
  });
});

describe('a version', () => {
  it('has the size and the secrets of its text', () => {
    const mention = '"nodes":[{"id":"a","data":{"config":{"url":"{{secrets.A}}"}}}],"edges":[]';
    const version = createVersion({ text: mention }, catalog);
    assert.deepEqual([version.characters, version.mentionsSecrets], [mention.length, true]);
    assert.equal(createVersion({ text: EMPTY }, catalog).mentionsSecrets, false);
    assert.equal(createVersion({ graph: version.graph }, catalog).text, mention);
  });
});
