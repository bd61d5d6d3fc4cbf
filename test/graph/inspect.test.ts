// Tests that inspectGraph reports every error of any input in one pass.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectGraph } from '../../src/graph/inspect.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';
import { randomGraph } from '../support/workflows.ts';

const catalog = createNodeCatalog({ SANDBOX_MODELS: true });
const JUNK = [
  null,
  7,
  '',
  'x',
  [],
  {},
  true,
  [null],
  { id: 1 },
  { data: [] },
  '\u0000',
  Number.POSITIVE_INFINITY,
];

/** Returns the JSON value with some of its properties replaced by invalid values. */
function corrupt(value: unknown, random: () => number, share: number): unknown {
  if (random() < share) return JUNK[Math.floor(random() * JUNK.length)];
  if (Array.isArray(value)) return value.map(item => corrupt(item, random, share));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, corrupt(item, random, share)]));
}

describe('inspectGraph', () => {
  it('reports issues with paths and never throws for 600 corrupted graphs', () => {
    for (let seed = 1; seed <= 600; seed++) {
      const random = createSeededRandom(seed);
      const corrupted = corrupt(randomGraph(seed), random, 0.03) as {
        nodes?: unknown;
        edges?: unknown;
      } | null;
      const { ok, issues } = inspectGraph(catalog, corrupted?.nodes, corrupted?.edges);
      assert.equal(
        ok,
        issues.every(({ severity }) => severity === 'warning'),
        `seed ${seed}`,
      );
      for (const issue of issues) {
        assert.ok(issue.path?.startsWith('/'), `seed ${seed}: ${JSON.stringify(issue)}`);
        assert.ok(issue.nodeId !== '' && issue.edgeId !== '', `seed ${seed}`);
      }
    }
  });

  it('reports the same other issues when a broken node and a broken edge are added', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { nodes, edges } = randomGraph(seed);
      const issuesBefore = inspectGraph(catalog, nodes, edges).issues;
      const { issues } = inspectGraph(catalog, [...nodes, null], [...edges, { id: 'broken' }]);
      const addedPaths = ['/nodes/', '/edges/'].map((list, end) => `${list}${[nodes, edges][end]?.length}`);
      const otherIssues = issues.filter(
        ({ path = '' }) => !addedPaths.some(addedPath => path.startsWith(addedPath)),
      );
      assert.deepEqual(otherIssues, issuesBefore, `seed ${seed}`);
      assert.ok(issues.length >= issuesBefore.length + 2, `seed ${seed}`);
    }
  });

  it('puts errors before warnings', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const { issues } = inspectGraph(catalog, [...randomGraph(seed).nodes, 7], randomGraph(seed).edges);
      const severities = issues.map(({ severity }) => severity);
      assert.deepEqual(severities, [...severities].sort(), `seed ${seed}`);
    }
  });
});
