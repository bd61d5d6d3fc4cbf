// Draws guides, selection areas and the pending connection over the board. Writes to the DOM directly, because these lines
// change with each pointer move.
import { type RefObject, useRef } from 'react';
import type { Position } from '../../../src/graph/types.ts';
import styles from '../canvas.module.css';
import type { GestureOverlay } from '../gestures/pointer-context.ts';
import type { Guide } from './guides.ts';
import type { RenderState } from './render-state.ts';

type Root = RefObject<SVGSVGElement | null>;

export function OverlayLayer({ root }: { readonly root: Root }) {
  return (
    <svg ref={root} className={styles.overlay} aria-hidden>
      <path className={styles.area} />
      <path className={styles.guide} />
      <path className={styles.pendingEdge} />
    </svg>
  );
}

export const useOverlayRoot = (): Root => useRef<SVGSVGElement>(null);

export function createOverlay(root: Root, renderState: RenderState): GestureOverlay {
  const write = (child: number, line: string): void => root.current?.children[child]?.setAttribute('d', line);
  const toScreen = ({ x, y }: Position): string => {
    const view = renderState.now.viewport;
    return `${x * view.zoom + view.x},${y * view.zoom + view.y}`;
  };
  const toGuidePath = ({ axis, coordinate, from, to }: Guide): string =>
    axis === 'x'
      ? `M${toScreen({ x: coordinate, y: from })}L${toScreen({ x: coordinate, y: to })}`
      : `M${toScreen({ x: from, y: coordinate })}L${toScreen({ x: to, y: coordinate })}`;
  return {
    area: line => write(0, line.length < 2 ? '' : `M${line.map(toScreen).join('L')}Z`),
    guides: guides => write(1, guides.map(toGuidePath).join('')),
    pendingEdge: ({ x1, y1, x2, y2, controlOffset }) =>
      write(
        2,
        `M${toScreen({ x: x1, y: y1 })}C${toScreen({ x: x1 + controlOffset, y: y1 })} ${toScreen({ x: x2 - controlOffset, y: y2 })} ${toScreen({ x: x2, y: y2 })}`,
      ),
    clear: () => {
      for (const child of [0, 1, 2]) write(child, '');
    },
  };
}
