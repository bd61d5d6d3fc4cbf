// Tests which values normalizeConfig converts, and that it reports each change.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizeConfig } from '../../src/graph/normalize.ts';
import type { Json, JsonObject } from '../../src/graph/types.ts';
import { CATALOG, node } from './fixture.ts';

const CASES: readonly (readonly [key: string, input: Json, expected: Json])[] = [
  ['width', '512', 512],
  ['width', ' -1.5e2 ', -150],
  ['width', '.5', 0.5],
  ['width', '', ''],
  ['width', '0x10', '0x10'],
  ['width', 'Infinity', 'Infinity'],
  ['width', '1e999', '1e999'],
  ['width', '12px', '12px'],
  ['width', '12345678901234567890', '12345678901234567890'],
  ['width', true, true],
  ['style', 'gradient', 'Gradient'],
  ['style', ' RINGS ', 'rings'],
  ['style', 'rings', 'rings'],
  ['style', 'ring', 'ring'],
  ['prompt', '512', '512'],
  ['unknown', '512', '512'],
];

function normalize(config: JsonObject): { config: JsonObject | undefined; warnings: string[] } {
  const { graph, issues } = normalizeConfig(
    { nodes: [node('g', 'generate:image', config)], edges: [] },
    CATALOG,
  );
  return {
    config: graph.nodes[0]?.data.config,
    warnings: issues.map(({ path, message }) => `${path} ${message}`),
  };
}

describe('normalizeConfig', () => {
  for (const [key, input, expected] of CASES) {
    it(`returns ${JSON.stringify(expected)} for ${key} ${JSON.stringify(input)}`, () => {
      const { config, warnings } = normalize({ [key]: input, other: 1 });
      assert.deepEqual(config, { [key]: expected, other: 1 });
      assert.equal(warnings.length, input === expected ? 0 : 1);
    });
  }

  it('reports each change', () => {
    assert.deepEqual(normalize({ width: '512' }).warnings, [
      '/nodes/0/data/config/width config.width was "512" and is kept as 512.',
    ]);
  });

  it('returns the same graph if no value of a config changes', () => {
    const graph = {
      nodes: [
        node('g', 'generate:image', {}, { width: '5' } as object),
        node('x', 'no:such', { width: '5' }),
      ],
      edges: [],
    };
    assert.equal(normalizeConfig(graph, CATALOG).graph, graph);
  });
});
