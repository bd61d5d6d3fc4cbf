// Renders the zoom buttons.

import Maximize from 'icon:maximize';
import Minus from 'icon:minus';
import Plus from 'icon:plus';
import { useReactFlow, useStore } from '@xyflow/react';
import { messages } from '../flow-messages.ts';
import { IconButton } from '../kit/button.tsx';
import { formatPercent } from '../lib/format.ts';
import styles from './canvas.module.css';
import type { RenderState } from './painter/render-state.ts';
import { getBounds } from './painter/scene.ts';
import { fitViewport } from './viewports.ts';

const labels = messages.flow;
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
