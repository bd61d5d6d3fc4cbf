// Renders the canvas below the mounted nodes. Repaints in the frame after a change of the board, the view or the run.
import { useEffect, useRef } from 'react';
import type { NodeState } from '../../../sdk/src/types.ts';
import { type EditorContextValue, useEditor, type View } from '../../board/editor-context.tsx';
import { kindOfMedia } from '../../kit/media-view.tsx';
import { type Result, resultsOf } from '../../runs/results.ts';
import styles from '../canvas.module.css';
import { readLook, watchTheme } from './look.ts';
import { paint } from './paint.ts';
import { FAR_ZOOM, type Mark, type Ring } from './painting.ts';
import { Pictures } from './pictures.ts';
import { oncePerFrame, type Stage } from './stage.ts';

export function PaintLayer({ stage }: { readonly stage: Stage }) {
  const editor = useEditor();
  const canvas = useRef<HTMLCanvasElement>(null);
  const probe = useRef<HTMLElement>(null);
  useEffect(() => {
    const [element, place] = [canvas.current, probe.current];
    return element && place ? keepPainted({ stage, editor, element, probe: place }) : undefined;
  }, [stage, editor]);
  return (
    <>
      <canvas ref={canvas} className={styles.paint} aria-hidden />
      <i ref={probe} hidden />
    </>
  );
}

interface Painted {
  readonly stage: Stage;
  readonly editor: EditorContextValue;
  readonly element: HTMLCanvasElement;
  readonly probe: HTMLElement;
}

/** State that does not affect the painting. */
const UNSEEN: ReadonlySet<string> = new Set(['isHeld', 'isMoving', 'awaited']);

function keepPainted({ stage, editor: { session, runs, view }, element, probe }: Painted): () => void {
  let look = readLook(probe);
  const pictures = new Pictures(() => frame.request());
  const frame = oncePerFrame(() => {
    const ctx = element.getContext('2d');
    if (ctx === null) return;
    const { hovered, taking, size, ...shown } = stage.now;
    const ratio = devicePixelRatio;
    fitTo(element, { width: size.width * ratio, height: size.height * ratio });
    const { nodes } = runs.getState();
    const isFar = shown.viewport.zoom < FAR_ZOOM;
    const markOf = (id: string): Mark | undefined =>
      toMark(nodes.get(id), isFar || !shown.mounted.has(id) ? pictures : undefined);
    const ringOf = (id: string): Ring | undefined => toRing(view.getState(), id);
    const { selection } = session.store.getState();
    const lit = new Set([hovered, taking].filter(id => id !== undefined));
    paint(ctx, { ...shown, size, ratio, selection, markOf, ringOf, lit, look });
  });
  const stops = [
    stage.watch(change => {
      if (Object.keys(change).some(key => !UNSEEN.has(key))) frame.request();
    }),
    session.store.subscribe(({ selection }, before) => selection !== before.selection && frame.request()),
    runs.subscribe(({ nodes }, before) => nodes !== before.nodes && frame.request()),
    view.subscribe(({ plan, diff }, before) => {
      if (plan !== before.plan || diff !== before.diff) frame.request();
    }),
    watchTheme(() => {
      look = readLook(probe);
      frame.request();
    }),
    frame.cancel,
  ];
  frame.request();
  return () => {
    for (const stop of stops) stop();
  };
}

const toRing = ({ plan, diff }: View, id: string): Ring | undefined =>
  plan === undefined ? diff?.difference.fates.get(id) : (plan.states.get(id) ?? 'out');

function toMark(state: NodeState | undefined, pictures: Pictures | undefined): Mark | undefined {
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
