// An edge in the colour of what flows along it.
import { BaseEdge, type EdgeProps, getBezierPath } from '@xyflow/react';
import { memo } from 'react';
import { useView } from '../board/editor-context.tsx';
import { useNodeRun } from '../runs/use-runs.ts';
import { typeColor } from './colors.ts';
import type { Wire as WireEdge } from './model.ts';

export const Wire = memo(function Wire(props: EdgeProps<WireEdge>) {
  const { id, source, data, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, selected } =
    props;
  const isFar = useView(view => view.isFar);
  const isFlowing = useNodeRun(source)?.status === 'RUNNING';
  const [path] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition });
  return (
    <BaseEdge
      id={id}
      path={path}
      interactionWidth={isFar ? 0 : 16}
      className={isFlowing ? 'is-flowing' : undefined}
      style={{ stroke: selected ? 'var(--accent)' : typeColor(data?.type ?? 'ANY') }}
    />
  );
});
