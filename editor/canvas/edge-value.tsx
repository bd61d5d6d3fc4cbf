// Shows the value that flowed through the connection under the pointer in the shown run.
import { useEffect, useState } from 'react';
import { messages } from '../flow-messages.ts';
import { useBoard, useRun } from '../runs/editor-context.tsx';
import { ResultView } from '../runs/result-view.tsx';
import { resultsOf } from '../runs/results.ts';
import styles from './canvas.module.css';
import { pointOn } from './painter/hit-test.ts';
import type { RenderState } from './painter/render-state.ts';
import { bendOf } from './painter/scene.ts';

export function EdgeValue({ renderState }: { readonly renderState: RenderState }) {
  const [hovered, setHovered] = useState<string>();
  useEffect(
    () =>
      renderState.watch(({ hovered: _, ...rest }) => {
        // Moving the board moves the connection away from the pointer.
        setHovered('viewport' in rest || 'positions' in rest ? undefined : renderState.now.hovered);
      }),
    [renderState],
  );
  const curve =
    hovered === undefined ? undefined : renderState.now.scene.curves.find(({ id }) => id === hovered);
  if (curve === undefined) return null;
  const { viewport, positions } = renderState.now;
  const { x, y } = pointOn(bendOf(curve, positions), 0.5);
  return (
    <div
      className={styles.value}
      style={{ left: x * viewport.zoom + viewport.x, top: y * viewport.zoom + viewport.y }}
    >
      <Value source={curve.source.id} type={curve.resolvedEdge.type} />
    </div>
  );
}

function Value({ source, type }: { readonly source: string; readonly type: string }) {
  const state = useRun(({ nodes }) => nodes.get(source));
  const label = useBoard(({ board }) => board.nodes.find(({ id }) => id === source)?.data.label);
  const [first] = state === undefined ? [] : resultsOf(state);
  return (
    <>
      <strong>
        {label} · {type}
      </strong>
      {first === undefined ? <span>{messages.flow.noValue}</span> : <ResultView result={first} isSmall />}
    </>
  );
}
