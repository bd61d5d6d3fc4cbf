// Tests the icons of node types in the palette.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawNodeIcon, fitPath } from '../../../editor/canvas/node-icon.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const { entries } = createNodeCatalog({ SANDBOX_MODELS: true } as never);

describe('drawNodeIcon', () => {
  it('has a text alternative with the types of inputs and outputs', () => {
    const labelOf = (nodeType: string): string | undefined => {
      const entry = entries.find(item => item.nodeType === nodeType);
      return entry && drawNodeIcon(entry).label;
    };
    assert.equal(labelOf('generate:sandbox'), 'Text → Image');
    assert.equal(labelOf('input:number'), 'Number');
    assert.equal(labelOf('output:preview'), 'Any');
    assert.equal(labelOf('utility:audio_mux'), 'Video, Audio → Video');
  });

  it('draws inside the frame for each node of the catalog', () => {
    for (const entry of entries) {
      const { paths } = drawNodeIcon(entry);
      for (const { d: path } of paths) {
        assert.match(path, /^[A-Za-z0-9.\- ]+$/, entry.nodeType);
        const absolute = [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)];
        for (const [, x, y] of absolute) {
          assert.ok(Number(x) >= 0 && Number(x) <= 72, `${entry.nodeType}: ${path}`);
          assert.ok(Number(y) >= 0 && Number(y) <= 40, `${entry.nodeType}: ${path}`);
        }
      }
    }
  });

  it('moves and scales paths without changing the flags of an arc', () => {
    const square = { x: 10, y: 20, size: 12 };
    assert.equal(fitPath('M4 6h16v-2z', square), 'M12 23h8v-1z');
    assert.equal(fitPath('M2 2H10V8', square), 'M11 21H15V24');
    assert.equal(
      fitPath('M0 0a4 4 0 1 0-8 0A2 2 0 0 1 6 6', square),
      'M10 20a2 2 0 1 0 -4 0A1 1 0 0 1 13 23',
    );
  });
});
