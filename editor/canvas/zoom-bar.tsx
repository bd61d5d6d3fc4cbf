// Zoom by buttons.

import Maximize from 'icon:maximize';
import Minus from 'icon:minus';
import Plus from 'icon:plus';
import { useReactFlow, useStore } from '@xyflow/react';
import { IconButton } from '../kit/button.tsx';
import { formatPercent } from '../lib/format.ts';
import { messages } from '../messages.ts';
import styles from './canvas.module.css';

const texts = messages.flow;

export function ZoomBar() {
  const flow = useReactFlow();
  const zoom = useStore(({ transform }) => transform[2]);
  return (
    <div className={styles.zoom}>
      <IconButton size="s" icon={Minus} label={texts.zoomOut} onClick={() => void flow.zoomOut()} />
      <button
        type="button"
        className={styles.percent}
        aria-label={texts.zoomReset}
        onClick={() => void flow.zoomTo(1)}
      >
        {formatPercent(zoom)}
      </button>
      <IconButton size="s" icon={Plus} label={texts.zoomIn} onClick={() => void flow.zoomIn()} />
      <IconButton
        size="s"
        icon={Maximize}
        label={texts.zoomFit}
        onClick={() => void flow.fitView({ padding: 0.12, maxZoom: 1 })}
      />
    </div>
  );
}
