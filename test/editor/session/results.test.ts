// Tests which results a node shows, and whether they are out of date.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isResultOutdated } from '../../../editor/session/runs/results.ts';
import type { NodeDisplay } from '../../../editor/session/runs/stored-results.ts';
import type { GraphNode, JsonObject } from '../../../src/graph/types.ts';

const createNode = (nodeType: string, config: JsonObject): GraphNode => ({
  id: 'node',
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: 'Node', category: 'input', nodeType, config },
});

describe('isResultOutdated', () => {
  const outdated = { isOutdated: true } as NodeDisplay;

  it('is false for a file that was just chosen, although the last run used another one', () => {
    globalThis.location = new URL('https://example.com/flow/wf_1') as unknown as Location;
    const image = createNode('input:image', { url: '/cdn/photo.png' });
    assert.equal(isResultOutdated(image, outdated), false);
    assert.equal(isResultOutdated(createNode('input:image', {}), outdated), true);
    assert.equal(isResultOutdated(createNode('generate:sandbox', { url: '/cdn/photo.png' }), outdated), true);
    assert.equal(isResultOutdated(createNode('generate:sandbox', {}), undefined), false);
  });
});
