// Tests which views show nodes wholly, beside the minimap.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Viewport } from '../../../editor/canvas/painter/painting.ts';
import { panToShow, revealViewport } from '../../../editor/canvas/viewports.ts';
import type { Rect } from '../../../src/graph/rects.ts';

const SIZE = { width: 1000, height: 600 };
const VIEW: Viewport = { x: 0, y: 0, zoom: 1 };

/** Returns where the view shows the bounds, in pixels of the canvas. */
const toScreen = (bounds: Rect, { x, y, zoom }: Viewport): Rect => ({
  x: bounds.x * zoom + x,
  y: bounds.y * zoom + y,
  width: bounds.width * zoom,
  height: bounds.height * zoom,
});

const isWhollyVisible = ({ x, y, width, height }: Rect): boolean =>
  x >= 0 && y >= 0 && x + width <= SIZE.width && y + height <= SIZE.height;

describe('revealViewport', () => {
  it('returns the same view if it shows the bounds', () => {
    assert.equal(revealViewport({ x: 300, y: 100, width: 300, height: 300 }, VIEW, SIZE), VIEW);
  });

  it('moves the view only as far as necessary', () => {
    const right = { x: 900, y: 100, width: 300, height: 300 };
    assert.deepEqual(revealViewport(right, VIEW, SIZE), { x: -216, y: 0, zoom: 1 });
    const above = { x: 300, y: -50, width: 300, height: 300 };
    assert.deepEqual(revealViewport(above, VIEW, SIZE), { x: 0, y: 66, zoom: 1 });
  });

  it('shows nodes beside or above the minimap', () => {
    const low = { x: 100, y: 300, width: 300, height: 200 };
    assert.deepEqual(revealViewport(low, VIEW, SIZE), { x: 0, y: -78, zoom: 1 });
    const tall = { x: 100, y: 20, width: 300, height: 500 };
    assert.deepEqual(revealViewport(tall, VIEW, SIZE), { x: 103, y: 0, zoom: 1 });
  });

  it('zooms out for bounds that are larger than the canvas', () => {
    const wide = { x: 0, y: 0, width: 1500, height: 300 };
    const view = revealViewport(wide, VIEW, SIZE);
    assert.ok(view.zoom < 1);
    assert.ok(isWhollyVisible(toScreen(wide, view)));
    assert.equal(panToShow(wide, VIEW, SIZE), undefined);
  });

  it('zooms in only if the bounds are outside of a view that is too small to read', () => {
    const far: Viewport = { x: 0, y: 0, zoom: 0.2 };
    const outside = { x: 6000, y: 300, width: 300, height: 300 };
    const view = revealViewport(outside, far, SIZE);
    assert.equal(view.zoom, 0.6);
    assert.ok(isWhollyVisible(toScreen(outside, view)));
    assert.equal(revealViewport({ x: 1500, y: 300, width: 300, height: 300 }, far, SIZE), far);
  });

  it('ignores a canvas without layout', () => {
    const bounds = { x: 900, y: 100, width: 300, height: 300 };
    assert.equal(revealViewport(bounds, VIEW, { width: 0, height: 0 }), VIEW);
  });
});
