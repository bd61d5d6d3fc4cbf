// Renders the canvas below the mounted nodes. Repaints in the frame after a change of the board, the view or the run.
import { useEffect, useRef } from 'react';
import type { NodeState } from '../../../sdk/src/types.ts';
import { findNode } from '../../board/board.ts';
import { getMediaKind } from '../../kit/media-kind.ts';
import { type EditorContextValue, useEditor, type View } from '../../session/editor-context.tsx';
import { findShownState, getResults, type Result } from '../../session/runs/results.ts';
import styles from '../canvas.module.css';
import { paint } from './paint.ts';
import { readPaintColors, watchTheme } from './paint-colors.ts';
import { FAR_ZOOM, type PaintedState, type StatusOutline } from './painting.ts';
import { oncePerFrame, type RenderState } from './render-state.ts';
import { isSameDrawing } from './scene.ts';
import { ThumbnailCache } from './thumbnails.ts';

export function PaintLayer({ renderState }: { readonly renderState: RenderState }) {
  const editor = useEditor();
  const canvas = useRef<HTMLCanvasElement>(null);
  const probe = useRef<HTMLElement>(null);
  useEffect(() => {
    const [element, probeElement] = [canvas.current, probe.current];
    return element && probeElement
      ? repaintOnChange({ renderState, editor, element, probe: probeElement })
      : undefined;
  }, [renderState, editor]);
  return (
    <>
      <canvas ref={canvas} className={styles.paint} aria-hidden />
      <i ref={probe} hidden />
    </>
  );
}

interface PaintTarget {
  readonly renderState: RenderState;
  readonly editor: EditorContextValue;
  readonly element: HTMLCanvasElement;
  readonly probe: HTMLElement;
}

/** State whose changes need no repaint. */
const UNPAINTED: ReadonlySet<string> = new Set<keyof RenderState['now']>([
  'isPanning',
  'isMoving',
  'focusTarget',
]);

function repaintOnChange({
  renderState,
  editor: { session, runs, view },
  element,
  probe,
}: PaintTarget): () => void {
  let colors = readPaintColors(probe);
  const thumbnails = new ThumbnailCache(() => frame.request());
  const frame = oncePerFrame(() => {
    const ctx = element.getContext('2d');
    if (ctx === null) return;
    const { hoveredEdgeId, dropEdgeId, size, ...frameState } = renderState.now;
    const ratio = devicePixelRatio;
    resizeCanvas(element, { width: size.width * ratio, height: size.height * ratio });
    const { nodes, callStates, nodeDisplays } = runs.getState();
    const { board, selection } = session.store.getState();
    const isFar = frameState.viewport.zoom < FAR_ZOOM;
    const getPaintedState = (id: string): PaintedState | undefined => {
      const cache = isFar || !frameState.mounted.has(id) ? thumbnails : undefined;
      const call = callStates.get(id);
      if (call === undefined) return toPaintedState(nodes.get(id), cache);
      const node = findNode(board, id);
      return toPaintedState(call, cache, node && findShownState(node, nodeDisplays.get(id)));
    };
    const getOutline = (id: string): StatusOutline | undefined => toOutline(view.getState(), id);
    const highlighted = new Set([hoveredEdgeId, dropEdgeId].filter(id => id !== undefined));
    paint(ctx, { ...frameState, size, ratio, selection, getPaintedState, getOutline, highlighted, colors });
  });
  let previous = renderState.now;
  const isRepainted = (change: Partial<RenderState['now']>): boolean => {
    const [before, now] = [previous, renderState.now];
    previous = now;
    if (change.scene === undefined || Object.keys(change).some(key => key !== 'scene' && key !== 'mounted'))
      return true;
    const isFar = now.viewport.zoom < FAR_ZOOM;
    const isMounted = (id: string): boolean => !isFar && now.mounted.has(id);
    return before.mounted !== now.mounted || !isSameDrawing(before.scene, now.scene, isMounted);
  };
  const unsubscribers = [
    renderState.watch(change => {
      if (!isRepainted(change)) return;
      if (Object.keys(change).some(key => !UNPAINTED.has(key))) frame.request();
    }),
    session.store.subscribe(({ selection }, before) => selection !== before.selection && frame.request()),
    runs.subscribe(({ nodeDisplays }, before) => nodeDisplays !== before.nodeDisplays && frame.request()),
    view.subscribe(({ plan, diff }, before) => {
      if (plan !== before.plan || diff !== before.diff) frame.request();
    }),
    watchTheme(() => {
      colors = readPaintColors(probe);
      frame.request();
    }),
    frame.cancel,
  ];
  frame.request();
  return () => {
    for (const unsubscribe of unsubscribers) unsubscribe();
  };
}

const toOutline = ({ plan, diff }: View, id: string): StatusOutline | undefined =>
  plan === undefined ? diff?.difference.statuses.get(id) : (plan.states.get(id) ?? 'excluded');

/** Returns the status of `state`, with a thumbnail of the result of `shown`. */
function toPaintedState(
  state: NodeState | undefined,
  thumbnails: ThumbnailCache | undefined,
  shown: NodeState | undefined = state,
): PaintedState | undefined {
  if (state === undefined) return undefined;
  const { status } = state;
  const hasThumbnail = status === 'COMPLETED' && thumbnails !== undefined && shown !== undefined;
  const [result] = hasThumbnail ? getResults(shown) : [];
  const url = result === undefined ? undefined : getThumbnailUrl(result);
  const thumbnail = url === undefined ? undefined : thumbnails?.find(url);
  return { status, ...(thumbnail === undefined ? {} : { thumbnail }) };
}

function resizeCanvas(
  element: HTMLCanvasElement,
  { width, height }: { readonly width: number; readonly height: number },
): void {
  const size = { width: Math.round(width), height: Math.round(height) };
  if (element.width !== size.width) element.width = size.width;
  if (element.height !== size.height) element.height = size.height;
}

/** Returns the image of a result, or the poster of a video. */
function getThumbnailUrl(result: Result): string | undefined {
  if (result.kind !== 'media') return undefined;
  return getMediaKind(result) === 'image' ? result.url : result.posterUrl;
}
