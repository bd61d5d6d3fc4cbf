// Renders the canvas below the mounted nodes. Repaints in the frame after a change of the board, the view or the run.
import { useEffect, useRef } from 'react';
import type { NodeState } from '../../../sdk/src/types.ts';
import { kindOfMedia } from '../../kit/media-view.tsx';
import { type EditorContextValue, useEditor, type View } from '../../runs/editor-context.tsx';
import { type Result, resultsOf } from '../../runs/results.ts';
import styles from '../canvas.module.css';
import { paint } from './paint.ts';
import { readPaintColors, watchTheme } from './paint-colors.ts';
import { FAR_ZOOM, type Mark, type StatusOutline } from './painting.ts';
import { oncePerFrame, type RenderState } from './render-state.ts';
import { ThumbnailCache } from './thumbnails.ts';

export function PaintLayer({ renderState }: { readonly renderState: RenderState }) {
  const editor = useEditor();
  const canvas = useRef<HTMLCanvasElement>(null);
  const probe = useRef<HTMLElement>(null);
  useEffect(() => {
    const [element, place] = [canvas.current, probe.current];
    return element && place ? keepPainted({ renderState, editor, element, probe: place }) : undefined;
  }, [renderState, editor]);
  return (
    <>
      <canvas ref={canvas} className={styles.paint} aria-hidden />
      <i ref={probe} hidden />
    </>
  );
}

interface Painted {
  readonly renderState: RenderState;
  readonly editor: EditorContextValue;
  readonly element: HTMLCanvasElement;
  readonly probe: HTMLElement;
}

/** State that does not affect the painting. */
const UNSEEN: ReadonlySet<string> = new Set(['isPanning', 'isMoving', 'awaited']);

function keepPainted({ renderState, editor: { session, runs, view }, element, probe }: Painted): () => void {
  let colors = readPaintColors(probe);
  const pictures = new ThumbnailCache(() => frame.request());
  const frame = oncePerFrame(() => {
    const ctx = element.getContext('2d');
    if (ctx === null) return;
    const { hovered, dropEdge, size, ...shown } = renderState.now;
    const ratio = devicePixelRatio;
    fitTo(element, { width: size.width * ratio, height: size.height * ratio });
    const { nodes } = runs.getState();
    const isFar = shown.viewport.zoom < FAR_ZOOM;
    const markOf = (id: string): Mark | undefined =>
      toMark(nodes.get(id), isFar || !shown.mounted.has(id) ? pictures : undefined);
    const ringOf = (id: string): StatusOutline | undefined => toOutline(view.getState(), id);
    const { selection } = session.store.getState();
    const lit = new Set([hovered, dropEdge].filter(id => id !== undefined));
    paint(ctx, { ...shown, size, ratio, selection, markOf, ringOf, lit, colors });
  });
  const stops = [
    renderState.watch(change => {
      if (Object.keys(change).some(key => !UNSEEN.has(key))) frame.request();
    }),
    session.store.subscribe(({ selection }, before) => selection !== before.selection && frame.request()),
    runs.subscribe(({ nodes }, before) => nodes !== before.nodes && frame.request()),
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
    for (const stop of stops) stop();
  };
}

const toOutline = ({ plan, diff }: View, id: string): StatusOutline | undefined =>
  plan === undefined ? diff?.difference.statuses.get(id) : (plan.states.get(id) ?? 'out');

function toMark(state: NodeState | undefined, pictures: ThumbnailCache | undefined): Mark | undefined {
  if (state === undefined) return undefined;
  const { status } = state;
  const [first] = status === 'COMPLETED' && pictures !== undefined ? resultsOf(state) : [];
  const url = first === undefined ? undefined : pictureOf(first);
  const picture = url === undefined ? undefined : pictures?.find(url);
  return { status, ...(picture === undefined ? {} : { picture }) };
}

function fitTo(
  element: HTMLCanvasElement,
  { width, height }: { readonly width: number; readonly height: number },
): void {
  const [wide, high] = [Math.round(width), Math.round(height)];
  if (element.width !== wide) element.width = wide;
  if (element.height !== high) element.height = high;
}

/** For videos, the poster. */
function pictureOf(result: Result): string | undefined {
  if (result.kind !== 'media') return undefined;
  return kindOfMedia(result) === 'image' ? result.url : result.posterUrl;
}
