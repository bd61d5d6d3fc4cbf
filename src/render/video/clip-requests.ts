// Lists the clip frames that a draw list shows, each with its time, time grid and size.
import type { Clip } from '../../codecs/decode.ts';
import { fitImage, type Size } from '../paint/fit-image.ts';
import type { ClipFrame, LoadedClip, Resources } from '../paint/resources.ts';
import type { ClipContent, DrawList, DrawNode, Matrix } from '../timeline/draw-list.ts';
import { multiply } from '../timeline/matrix.ts';

export interface ClipRequest {
  readonly content: ClipContent;
  readonly clip: Clip;
  /** The map in which the painter looks up the frame. */
  readonly frames: WeakMap<ClipContent, ClipFrame>;
  /** Position in the file, wrapped if the clip loops. */
  readonly seconds: number;
  /** File seconds from one drawn frame to the next. */
  readonly step: number;
  /** Size in pixels at which the frame is visible, at most the file's size. Sides are even. */
  readonly visibleSize: Size;
  /** Like `visibleSize`, but without animations, which usually start or end at this size. */
  readonly restingSize: Size;
}

export const MAX_SIDE = 4096;
/** Shorter loops show a single frame. */
const MIN_LOOP_SECONDS = 0.001;

/** The scale at which a list is rendered, and the number of frames from one list to the next. */
export interface RenderView {
  readonly scale: number;
  readonly stride: number;
}

/** Lists the visible clips, from back to front. */
export function listClipRequests(
  list: DrawList,
  resources: Resources,
  view: RenderView,
): readonly ClipRequest[] {
  const requests: ClipRequest[] = [];
  const visit = (node: DrawNode, outer: Matrix): void => {
    const matrix = multiply(outer, node.matrix);
    const { content, mask } = node;
    if (content.kind === 'group') for (const child of content.children) visit(child, matrix);
    if (content.kind === 'clip') {
      const loaded = resources.get(content.resource);
      const request = loaded?.kind === 'clip' && toRequest(node, content, loaded, matrix, view);
      if (request) requests.push(request);
    }
    // A mask is laid out in the box of the element that it masks.
    if (mask !== undefined) visit(mask.node, matrix);
  };
  for (const { node } of list.layers) visit(node, [view.scale, 0, 0, view.scale, 0, 0]);
  return requests;
}

function toRequest(
  { width, height }: DrawNode,
  content: ClipContent,
  { clip, frames }: LoadedClip,
  [a, b, c, d]: Matrix,
  { scale, stride }: RenderView,
): ClipRequest | undefined {
  const { video } = clip.info;
  const [, , cropWidth, cropHeight] = content.crop;
  if (video === undefined || !(width > 0 && height > 0 && cropWidth > 0 && cropHeight > 0)) return undefined;
  const croppedSize = { width: video.width * cropWidth, height: video.height * cropHeight };
  const placement = fitImage(croppedSize, { width, height }, content.fit, content.focus);
  const toEvenSize = (scaleX: number, scaleY: number): Size => ({
    width: toEven((placement.width / cropWidth) * scaleX, video.width),
    height: toEven((placement.height / cropHeight) * scaleY, video.height),
  });
  const { zoom } = content;
  return {
    content,
    clip,
    frames,
    seconds: getClipTime(content, clip.info.durationSeconds),
    step: content.step * stride,
    visibleSize: toEvenSize(zoom * Math.hypot(a, b), zoom * Math.hypot(c, d)),
    restingSize: toEvenSize(scale, scale),
  };
}

function toEven(side: number, max: number): number {
  const bounded = Math.min(Math.ceil(side), Math.ceil(max), MAX_SIDE);
  return Math.max(2, bounded + (bounded % 2));
}

function getClipTime({ seconds, trim, loop }: ClipContent, duration: number): number {
  const length = duration - trim;
  if (!loop || length < MIN_LOOP_SECONDS || seconds < duration - 1e-6) return seconds;
  const elapsed = (seconds - trim) % length;
  // A position that reaches the end only by rounding belongs to the next iteration.
  return length - elapsed < 1e-6 ? trim : trim + elapsed;
}
