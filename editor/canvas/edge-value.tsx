// Shows the value that flowed through the hovered edge in the run that the board shows.

import { useEffect, useState } from 'react';
import { toPortId } from '../../src/graph/handles.ts';
import { messages } from '../flow-messages.ts';
import { useBoard, useRun } from '../session/editor-context.tsx';
import { ResultView } from '../session/runs/result-view.tsx';
import { getResults } from '../session/runs/results.ts';
import styles from './canvas.module.css';
import type { ResolvedEdge } from './card-cache.ts';
import { getPointAt } from './painter/hit-test.ts';
import type { RenderState } from './painter/render-state.ts';
import { toBezier } from './painter/scene.ts';

export function EdgeValue({ renderState }: { readonly renderState: RenderState }) {
  const [hoveredEdgeId, setHoveredEdgeId] = useState<string>();
  useEffect(
    () =>
      renderState.watch(({ hoveredEdgeId: _, ...changes }) => {
        // When the view or a node moves, the edge is no longer under the pointer.
        setHoveredEdgeId(
          'viewport' in changes || 'positions' in changes ? undefined : renderState.now.hoveredEdgeId,
        );
      }),
    [renderState],
  );
  const edge =
    hoveredEdgeId === undefined
      ? undefined
      : renderState.now.scene.edges.find(({ id }) => id === hoveredEdgeId);
  if (edge === undefined) return null;
  const { viewport, positions } = renderState.now;
  const { x, y } = getPointAt(toBezier(edge, positions), 0.5);
  return (
    <div
      className={styles.value}
      style={{ left: x * viewport.zoom + viewport.x, top: y * viewport.zoom + viewport.y }}
    >
      <Value source={edge.source.id} edge={edge.resolvedEdge} />
    </div>
  );
}

function Value({ source, edge }: { readonly source: string; readonly edge: ResolvedEdge }) {
  const { type, sourceHandle } = edge;
  const node = useRun(({ nodeDisplays }) => nodeDisplays.get(source));
  const state = node?.findInner === undefined ? node : node.findInner(toPortId(sourceHandle));
  const label = useBoard(({ board }) => board.nodes.find(({ id }) => id === source)?.data.label);
  const results = state === undefined ? [] : getResults(state);
  const [first] = results;
  const result =
    first?.port === undefined ? first : results.find(({ port }) => port === toPortId(sourceHandle));
  return (
    <>
      <strong>
        {label} · {type}
      </strong>
      {result === undefined ? <span>{messages.flow.noValue}</span> : <ResultView result={result} isSmall />}
    </>
  );
}
