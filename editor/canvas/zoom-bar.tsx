// Renders the zoom buttons.

import Maximize from 'icon:maximize';
import Minus from 'icon:minus';
import Plus from 'icon:plus';
import { getViewportForBounds, useReactFlow, useStore } from '@xyflow/react';
import type { Rect } from '../../src/graph/rects.ts';
import { messages } from '../flow-messages.ts';
import { IconButton } from '../kit/button.tsx';
import { formatPercent } from '../lib/format.ts';
import styles from './canvas.module.css';
import type { Viewport } from './painter/painting.ts';
import type { RenderState, Size } from './painter/render-state.ts';
import { getBounds } from './painter/scene.ts';

const labels = messages.flow;
export const MIN_ZOOM = 0.03;
export const MAX_ZOOM = 2.5;
/** Leaves space for the zoom bar. */
const PADDING = { x: 0.06, top: '40px', bottom: '72px' } as const;

/** Returns the view that shows these bounds, or the origin for an empty board. */
export function fitViewport(bounds: Rect | undefined, { width, height }: Size): Viewport {
  if (bounds === undefined) return { x: width / 2, y: height / 2, zoom: 1 };
  return getViewportForBounds(bounds, width, height, MIN_ZOOM, 1, PADDING);
}

export function ZoomBar({ renderState }: { readonly renderState: RenderState }) {
  const flow = useReactFlow();
  const zoom = useStore(({ transform }) => transform[2]);
  const fit = (): void =>
    void flow.setViewport(fitViewport(getBounds(renderState.now.scene), renderState.now.size));
  return (
    <div className={styles.zoom} data-own-pointer data-focus-region="zoom">
      <IconButton size="s" icon={Minus} label={labels.zoomOut} onClick={() => void flow.zoomOut()} />
      <button
        type="button"
        className={styles.percent}
        aria-label={labels.zoomReset(formatPercent(zoom))}
        onClick={() => void flow.zoomTo(1)}
      >
        {formatPercent(zoom)}
      </button>
      <IconButton size="s" icon={Plus} label={labels.zoomIn} onClick={() => void flow.zoomIn()} />
      <IconButton size="s" icon={Maximize} label={labels.zoomFit} onClick={fit} />
    </div>
  );
}
