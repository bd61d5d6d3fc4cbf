// Converts the elements that are visible at a moment to nodes of the draw list.
import { ANCHORS, type Anchor } from '../schema/common.ts';
import type { Element, GroupElement } from '../schema/elements.ts';
import { type LeafElement, toContent } from './content.ts';
import type { Content, Corners, DrawNode, Effect, Outline } from './draw-list.ts';
import { multiply, rotation, scaling, skewing, translation } from './matrix.ts';
import { createCircle, createClipOutline, createInsetRect, toRect } from './outlines.ts';
import { getPose, type Pose } from './presets.ts';
import {
  animate,
  animateLength,
  animateNumber,
  clampToUnit,
  mixNumbers,
  resolveColor,
  type Scope,
  toFill,
  toSeconds,
} from './scope.ts';
import { resolveShadow } from './text-content.ts';

// A frame on a boundary belongs to the element that starts there. The tolerance compensates for rounded times.
const TIME_TOLERANCE = 1e-6;

/** Returns the nodes of the elements in drawing order: by zIndex, then in document order. */
export function toNodes(elements: readonly Element[], pointer: string, scope: Scope): readonly DrawNode[] {
  return elements
    .map((element, index) => ({ element, pointer: `${pointer}/${index}` }))
    .sort((a, b) => (a.element.zIndex ?? 0) - (b.element.zIndex ?? 0))
    .map(({ element, pointer: elementPointer }) => toDrawNode(element, elementPointer, scope))
    .filter(node => node !== undefined);
}

export function toDrawNode(element: Element, pointer: string, outer: Scope): DrawNode | undefined {
  const scope = toElementScope(element, outer);
  if (element.hidden === true || scope === undefined) return undefined;
  const pose = getPose(element.motion ?? outer.names.defaults.motion, scope);
  const opacity = clampToUnit(animateNumber(element.opacity, 1, scope) * pose.opacity);
  if (opacity <= 0) return undefined;
  const { width, height } = getSize(element, scope);
  const [anchorX, anchorY] = toAnchor(element.anchor);
  const radius = toCorners(element.radius);
  const elementContext = { scope, width, height, radius, resource: scope.keys.get(element) ?? '' };
  const content =
    element.type === 'group'
      ? toGroupContent(element, pointer, { ...scope, width, height })
      : toContent(element as LeafElement, elementContext);
  const layoutHeight = Number.isFinite(height) ? height : 0;
  return {
    pointer,
    matrix: toMatrix(element, scope, pose, anchorX * width, anchorY * layoutHeight),
    width,
    height,
    anchorY,
    opacity,
    blend: element.blend ?? 'normal',
    effects: toEffects(element, scope, pose),
    ...(element.shadow === undefined ? {} : { shadow: resolveShadow(element.shadow, scope.names) }),
    ...(element.background === undefined ? {} : { background: toFill(element.background, scope.names) }),
    ...(element.border === undefined
      ? {}
      : { border: { width: element.border.width, color: resolveColor(element.border.color, scope.names) } }),
    radius,
    clips: toClips(element, scope, pose, width, height, radius, content),
    ...toMask(element, pointer, { ...scope, width, height: layoutHeight }),
    content,
  };
}

/** Returns the scope with time counted from the element's start, or undefined while the element is not visible. */
function toElementScope(element: Element, outer: Scope): Scope | undefined {
  const start = element.start === undefined ? 0 : toSeconds(element.start, outer.span, outer.fps);
  const maxDuration = Math.max(0, outer.span - start);
  const span =
    element.duration === undefined ? maxDuration : toSeconds(element.duration, outer.span, outer.fps);
  const now = outer.now - start;
  if (now < -TIME_TOLERANCE || now >= span - TIME_TOLERANCE) return undefined;
  return { ...outer, now: Math.max(0, now), span };
}

function getSize(element: Element, scope: Scope): { width: number; height: number } {
  const isText = element.type === 'text' || element.type === 'counter';
  const width = animateLength(element.width, isText ? '84%' : '100%', scope.width, scope);
  const height =
    element.height === undefined && isText
      ? Number.NaN
      : animateLength(element.height, '100%', scope.height, scope);
  return { width: Math.max(0, width), height: Number.isNaN(height) ? height : Math.max(0, height) };
}

function toAnchor(anchor: Anchor = 'center'): readonly [number, number] {
  if (typeof anchor !== 'string') return anchor;
  const index = ANCHORS.indexOf(anchor);
  return [(index % 3) / 2, Math.floor(index / 3) / 2];
}

function toCorners(radius: Element['radius'] = 0): Corners {
  const [a = 0, b = 0, c = 0, d = 0] = typeof radius === 'number' ? [radius, radius, radius, radius] : radius;
  return [a, b, c, d];
}

function toMatrix(element: Element, scope: Scope, pose: Pose, pivotX: number, pivotY: number) {
  const x = animateLength(element.x, '50%', scope.width, scope) + pose.dx;
  const y = animateLength(element.y, '50%', scope.height, scope) + pose.dy;
  const [sx, sy] = animate(
    element.scale ?? 1,
    scope,
    (scale): readonly [number, number] => (typeof scale === 'number' ? [scale, scale] : scale),
    (from, to, share): readonly [number, number] => [
      mixNumbers(from[0], to[0], share),
      mixNumbers(from[1], to[1], share),
    ],
  );
  const { flip } = element;
  const rotated = multiply(
    rotation(animateNumber(element.rotation, 0, scope) + pose.rotate),
    skewing(animateNumber(element.skewX, 0, scope) + pose.skew, animateNumber(element.skewY, 0, scope)),
  );
  const scaled = scaling(
    sx * pose.scaleX * (flip === 'x' || flip === 'both' ? -1 : 1),
    sy * pose.scaleY * (flip === 'y' || flip === 'both' ? -1 : 1),
  );
  return multiply(multiply(translation(x, y), multiply(rotated, scaled)), translation(-pivotX, -pivotY));
}

function toEffects(element: Element, scope: Scope, pose: Pose): readonly Effect[] {
  const filters = (element.filters ?? []).map(({ type, amount }) => ({
    type,
    amount: animateNumber(amount, 0, scope),
  }));
  return pose.blur > 0.05 ? [...filters, { type: 'blur', amount: pose.blur }] : filters;
}

const CLIPPED_CONTENT: ReadonlySet<Content['kind']> = new Set(['image', 'clip', 'lottie']);

function toClips(
  element: Element,
  scope: Scope,
  pose: Pose,
  width: number,
  height: number,
  radius: Corners,
  content: Content,
): readonly Outline[] {
  // The height of a text with automatic height is not known yet. Half a frame is assumed for insets.
  const layoutHeight = Number.isFinite(height) ? height : scope.frame.height / 2;
  const isBoxed =
    CLIPPED_CONTENT.has(content.kind) || (element.type === 'group' && element.clipChildren === true);
  const [top, right, bottom, left] = pose.inset;
  const reach = Math.hypot(width, layoutHeight) / 2;
  return [
    ...(isBoxed && element.clip === undefined ? [toRect(width, layoutHeight, radius)] : []),
    ...(element.clip === undefined
      ? []
      : [createClipOutline(element.clip, width, layoutHeight, radius, scope)]),
    ...(top + right + bottom + left > 0
      ? [
          createInsetRect(width, layoutHeight, [
            top * layoutHeight,
            right * width,
            bottom * layoutHeight,
            left * width,
          ]),
        ]
      : []),
    ...(pose.iris < 1 ? [createCircle(width / 2, layoutHeight / 2, reach * pose.iris)] : []),
  ];
}

function toGroupContent({ elements, speed = 1 }: GroupElement, pointer: string, scope: Scope): Content {
  const groupScope = { ...scope, now: scope.now * speed, span: scope.span * speed, rate: scope.rate * speed };
  return { kind: 'group', children: toNodes(elements, `${pointer}/elements`, groupScope) };
}

function toMask(
  { mask }: Element,
  pointer: string,
  scope: Scope,
): Pick<DrawNode, 'mask'> | Record<string, never> {
  if (mask === undefined) return {};
  const node = toDrawNode(mask.element, `${pointer}/mask/element`, scope);
  if (node === undefined) return {};
  return { mask: { node, mode: mask.mode ?? 'alpha', invert: mask.invert ?? false } };
}
