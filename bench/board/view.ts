// Computes screen positions on a board from React Flow's viewport, for the editor and for the plain board.
import type { Page } from 'playwright-core';
import type { BenchBoard } from './boards.ts';
import type { Point } from './gestures.ts';

interface View extends Point {
  readonly zoom: number;
}

const READ_VIEW = `(() => {
  const { left, top } = document.querySelector('.react-flow').getBoundingClientRect();
  const { e, f, a } = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform);
  return { x: left + e, y: top + f, zoom: a };
})()`;

export const readView = async (page: Page): Promise<View> => (await page.evaluate(READ_VIEW)) as View;

export const toScreen = ({ x, y, zoom }: View, point: Point): Point => ({
  x: x + point.x * zoom,
  y: y + point.y * zoom,
});

/** Turns the mouse wheel until the board has about this zoom. */
export async function zoomTo(page: Page, targetZoom: number): Promise<void> {
  await page.mouse.move(720, 480);
  for (let turns = 0; turns < 200; turns++) {
    const { zoom } = await readView(page);
    const difference = Math.log2(targetZoom / zoom);
    if (Math.abs(difference) < 0.02) return;
    await page.mouse.wheel(0, -Math.sign(difference) * Math.min(Math.abs(difference) * 500, 100));
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))');
  }
  throw new Error(`The board did not zoom to ${targetZoom}.`);
}

/** Returns the screen position of a gap between two columns of nodes, near the middle of the screen. */
export function locateGap(view: View, { nodes }: BenchBoard): Point {
  const middle = { x: (720 - view.x) / view.zoom, y: (480 - view.y) / view.zoom };
  const columnX = nodes
    .map(({ position }) => position.x)
    .filter(x => x < middle.x)
    .reduce((max, x) => Math.max(max, x), 0);
  const column = Math.floor(columnX / 420) * 420;
  return toScreen(view, { x: column + 400, y: middle.y });
}

const HEADER_OFFSET = { x: 130, y: 22 };

/** Returns the screen position of the node header that is nearest to the middle of the screen. */
export function locateMiddleHeader(view: View, { nodes }: BenchBoard): Point {
  const headers = nodes.map(({ position: { x, y } }) =>
    toScreen(view, { x: x + HEADER_OFFSET.x, y: y + HEADER_OFFSET.y }),
  );
  const distance = ({ x, y }: Point): number => Math.hypot(x - 720, y - 480);
  return headers.reduce((best, header) => (distance(header) < distance(best) ? header : best));
}
