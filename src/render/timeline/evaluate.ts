// Evaluates a timeline at a frame: returns the draw list of that frame.
import { hash } from 'node:crypto';
import { ease } from '../../graph/easing.ts';
import type { Background } from '../schema/scene-graph.ts';
import { createCaptionNode } from './captions.ts';
import type { SceneSpan, Timeline } from './compile.ts';
import { toContent } from './content.ts';
import { DEFAULT_NODE, type DrawList, type DrawNode, type Fill, type Layer } from './draw-list.ts';
import { IDENTITY } from './matrix.ts';
import { toDrawNode, toNodes } from './nodes.ts';
import { toRect } from './outlines.ts';
import { animateNumber, clampToUnit, resolveColor, type Scope, solid, toFill } from './scope.ts';
import { getTransitionState, type SceneState } from './transitions.ts';

/** Returns everything visible in the frame. Frames are counted from 0. */
export function evaluateFrame(timeline: Timeline, frame: number): DrawList {
  const { graph, width, height } = timeline;
  const scope = createScope(timeline, frame, 0, timeline.durationInFrames);
  const nodes = [
    ...createBackgroundNodes(graph.background ?? '#000000', '/background', scope, timeline),
    ...createVisibleSceneNodes(timeline, frame),
    ...(graph.tracks ?? []).flatMap((track, index) => {
      if (track.hidden === true) return [];
      const children = toNodes(track.elements, `/tracks/${index}/elements`, scope);
      const opacity = animateNumber(track.opacity, 1, scope);
      return opacity >= 1 ? children : [createGroupNode(`/tracks/${index}`, timeline, children, { opacity })];
    }),
    ...(graph.captionTrack === undefined
      ? []
      : [createCaptionNode(graph.captionTrack, timeline.captionPages, scope)]),
    ...(graph.overlays ?? []).map((element, index) => toDrawNode(element, `/overlays/${index}`, scope)),
  ];
  return { frame, width, height, layers: nodes.filter(node => node !== undefined).map(toLayer) };
}

function toLayer(node: DrawNode): Layer {
  return { pointer: node.pointer, hash: hash('sha1', JSON.stringify(node), 'base64url').slice(0, 16), node };
}

function createScope(timeline: Timeline, frame: number, start: number, end: number): Scope {
  const { fps, width, height, names, keys, peaks } = timeline;
  return {
    names,
    fps,
    width,
    height,
    frame: { width, height },
    now: (frame - start) / fps,
    span: (end - start) / fps,
    rate: 1,
    clock: frame / fps,
    keys,
    peaks,
  };
}

/** Returns the nodes of the visible scene, or of both scenes during a transition. After the last scene there are none. */
function createVisibleSceneNodes(timeline: Timeline, frame: number): readonly DrawNode[] {
  const index = timeline.scenes.findLastIndex(({ start, end }) => frame >= start && frame < end);
  const nextScene = timeline.scenes[index];
  if (nextScene === undefined) return [];
  const outgoing = frame - nextScene.start < nextScene.overlap ? timeline.scenes[index - 1] : undefined;
  if (outgoing === undefined) return createSceneNodes(timeline, nextScene, frame);
  return createTransitionNodes(timeline, outgoing, nextScene, frame);
}

/** Returns the background and elements of a scene as separate nodes, so that unchanged nodes keep their hash. */
function createSceneNodes(
  timeline: Timeline,
  { scene, pointer, start, end }: SceneSpan,
  frame: number,
): readonly DrawNode[] {
  const scope = createScope(timeline, frame, start, end);
  return [
    ...(scene.background === undefined
      ? []
      : createBackgroundNodes(scene.background, `${pointer}/background`, scope, timeline)),
    ...toNodes(scene.elements ?? [], `${pointer}/elements`, scope),
  ];
}

function createTransitionNodes(
  timeline: Timeline,
  outgoing: SceneSpan,
  nextScene: SceneSpan,
  frame: number,
): readonly DrawNode[] {
  const { width, height, names } = timeline;
  const transition = nextScene.scene.transition ?? names.defaults.transition ?? { type: 'cut' };
  // The share is never 0 or 1, because every shared frame shows some of both scenes.
  const share = (frame - nextScene.start + 1) / (nextScene.overlap + 1);
  const state = getTransitionState(transition.type, {
    p: ease(transition.easing ?? names.defaults.easing ?? 'cubic-in-out', share),
    direction: transition.direction ?? 'left',
    width,
    height,
    isOpaque: isOpaque(nextScene.scene.background, timeline),
  });
  const createSceneGroup = (span: SceneSpan, state: SceneState): DrawNode =>
    createGroupNode(span.pointer, timeline, createSceneNodes(timeline, span, frame), state);
  const [from, to] = [createSceneGroup(outgoing, state.from), createSceneGroup(nextScene, state.to)];
  const scenes = state.front === 'to' ? [from, to] : [to, from];
  if (state.dip <= 0) return scenes;
  const [r, g, b, a] = resolveColor(transition.color ?? '#000000', names);
  return [
    ...scenes,
    createFillNode(`${nextScene.pointer}/transition`, timeline, solid([r, g, b, a * state.dip])),
  ];
}

function isOpaque(background: Background | undefined, { names }: Timeline): boolean {
  if (background === undefined) return false;
  if (typeof background === 'string') return resolveColor(background, names)[3] >= 1;
  return (
    !('stops' in background) || background.stops.every(({ color }) => resolveColor(color, names)[3] >= 1)
  );
}

function createGroupNode(
  pointer: string,
  { width, height }: Timeline,
  children: readonly DrawNode[],
  state: Partial<SceneState>,
): DrawNode {
  return {
    ...DEFAULT_NODE,
    pointer,
    matrix: state.matrix ?? IDENTITY,
    width,
    height,
    opacity: clampToUnit(state.opacity ?? 1),
    effects: state.blur === undefined || state.blur < 0.05 ? [] : [{ type: 'blur', amount: state.blur }],
    clips: [toRect(width, height), ...(state.clip === undefined ? [] : [state.clip])],
    fillsFrame: true,
    content: { kind: 'group', children },
  };
}

function createFillNode(pointer: string, { width, height }: Timeline, fill: Fill): DrawNode {
  const content = { kind: 'shape', outline: toRect(width, height), fill } as const;
  return { ...DEFAULT_NODE, pointer, matrix: IDENTITY, width, height, content };
}

function createBackgroundNodes(
  background: Background,
  pointer: string,
  scope: Scope,
  timeline: Timeline,
): readonly DrawNode[] {
  if (typeof background === 'string' || 'stops' in background)
    return [createFillNode(pointer, timeline, toFill(background, scope.names))];
  const { width, height, keys } = timeline;
  const { blur = 0, dim = 0, zoom = 1 } = background;
  const element = { loop: true, ...background, motion: { kenBurns: { to: zoom } } };
  const resource = keys.get(background) ?? '';
  const image: DrawNode = {
    ...DEFAULT_NODE,
    pointer,
    matrix: IDENTITY,
    width,
    height,
    clips: [toRect(width, height)],
    effects: blur > 0 ? [{ type: 'blur', amount: blur }] : [],
    fillsFrame: true,
    content: toContent(element, { scope, width, height, radius: DEFAULT_NODE.radius, resource }),
  };
  return dim <= 0 ? [image] : [image, createFillNode(pointer, timeline, solid([0, 0, 0, dim]))];
}
