// Evaluates a timeline at a frame to a draw list: a pure function behind stills, clips and segments.
import { hash } from 'node:crypto';
import type { Background } from '../schema/scene-graph.ts';
import { captionNode } from './captions.ts';
import type { SceneSpan, Timeline } from './compile.ts';
import { BARE, type Content, type DrawList, type DrawNode, type Fill, type Layer } from './draw-list.ts';
import { ease } from './easing.ts';
import { IDENTITY } from './matrix.ts';
import { nodeOf, nodesOf } from './nodes.ts';
import { rectOf } from './outlines.ts';
import { bound, colorOf, fillOf, movingNumber, type Scope, solid } from './scope.ts';
import { type SceneState, transitionAt } from './transitions.ts';

/** Everything visible in the frame, counted from 0. */
export function evaluateFrame(timeline: Timeline, frame: number): DrawList {
  const { graph, width, height } = timeline;
  const scope = scopeAt(timeline, frame, 0, timeline.durationInFrames);
  const nodes = [
    ...backgroundNodes(graph.background ?? '#000000', '/background', scope, timeline),
    ...sceneNodes(timeline, frame),
    ...(graph.tracks ?? []).flatMap((track, index) => {
      if (track.hidden === true) return [];
      const children = nodesOf(track.elements, `/tracks/${index}/elements`, scope);
      const opacity = movingNumber(track.opacity, 1, scope);
      return opacity >= 1 ? children : [groupNode(`/tracks/${index}`, timeline, children, { opacity })];
    }),
    ...(graph.captionTrack === undefined ? [] : [captionNode(graph.captionTrack, timeline.cues, scope)]),
    ...(graph.overlays ?? []).map((element, index) => nodeOf(element, `/overlays/${index}`, scope)),
  ];
  return { frame, width, height, layers: nodes.filter(node => node !== undefined).map(layerOf) };
}

function layerOf(node: DrawNode): Layer {
  return { pointer: node.pointer, hash: hash('sha1', JSON.stringify(node), 'base64url').slice(0, 16), node };
}

function scopeAt(timeline: Timeline, frame: number, start: number, end: number): Scope {
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

/** The scene of this frame, or both scenes of a transition. After the last scene nothing is shown. */
function sceneNodes(timeline: Timeline, frame: number): readonly DrawNode[] {
  const at = timeline.scenes.findLastIndex(({ start, end }) => frame >= start && frame < end);
  const coming = timeline.scenes[at];
  if (coming === undefined) return [];
  const leaving = frame - coming.start < coming.overlap ? timeline.scenes[at - 1] : undefined;
  if (leaving === undefined) return partsOf(timeline, coming, frame);
  return transitionNodes(timeline, leaving, coming, frame);
}

/** The scene's background and elements as separate layers, so that what does not change keeps its hash. */
function partsOf(
  timeline: Timeline,
  { scene, pointer, start, end }: SceneSpan,
  frame: number,
): readonly DrawNode[] {
  const scope = scopeAt(timeline, frame, start, end);
  return [
    ...(scene.background === undefined
      ? []
      : backgroundNodes(scene.background, `${pointer}/background`, scope, timeline)),
    ...nodesOf(scene.elements ?? [], `${pointer}/elements`, scope),
  ];
}

function transitionNodes(
  timeline: Timeline,
  leaving: SceneSpan,
  coming: SceneSpan,
  frame: number,
): readonly DrawNode[] {
  const { width, height, names } = timeline;
  const transition = coming.scene.transition ?? names.defaults.transition ?? { type: 'cut' };
  // The first shared frame already shows some of the incoming scene; the last one does not show all of it yet.
  const share = (frame - coming.start + 1) / (coming.overlap + 1);
  const state = transitionAt(transition.type, {
    p: ease(transition.easing ?? names.defaults.easing ?? 'cubic-in-out', share),
    direction: transition.direction ?? 'left',
    width,
    height,
    isOpaque: isOpaque(coming.scene.background, timeline),
  });
  const stand = (span: SceneSpan, how: SceneState): DrawNode =>
    groupNode(span.pointer, timeline, partsOf(timeline, span, frame), how);
  const [from, to] = [stand(leaving, state.from), stand(coming, state.to)];
  const both = state.front === 'to' ? [from, to] : [to, from];
  if (state.dip <= 0) return both;
  const [r, g, b, a] = colorOf(transition.color ?? '#000000', names);
  return [...both, fillNode(`${coming.pointer}/transition`, timeline, solid([r, g, b, a * state.dip]))];
}

function isOpaque(background: Background | undefined, { names }: Timeline): boolean {
  if (background === undefined) return false;
  if (typeof background === 'string') return colorOf(background, names)[3] >= 1;
  return !('stops' in background) || background.stops.every(({ color }) => colorOf(color, names)[3] >= 1);
}

function groupNode(
  pointer: string,
  { width, height }: Timeline,
  children: readonly DrawNode[],
  how: Partial<SceneState>,
): DrawNode {
  return {
    ...BARE,
    pointer,
    matrix: how.matrix ?? IDENTITY,
    width,
    height,
    opacity: bound(how.opacity ?? 1),
    effects: how.blur === undefined || how.blur < 0.05 ? [] : [{ type: 'blur', amount: how.blur }],
    clips: [rectOf(width, height), ...(how.clip === undefined ? [] : [how.clip])],
    fillsFrame: true,
    content: { kind: 'group', children },
  };
}

function fillNode(pointer: string, { width, height }: Timeline, fill: Fill): DrawNode {
  const content = { kind: 'shape', outline: rectOf(width, height), fill } as const;
  return { ...BARE, pointer, matrix: IDENTITY, width, height, content };
}

function backgroundNodes(
  background: Background,
  pointer: string,
  scope: Scope,
  timeline: Timeline,
): readonly DrawNode[] {
  if (typeof background === 'string' || 'stops' in background)
    return [fillNode(pointer, timeline, fillOf(background, scope.names))];
  const { width, height } = timeline;
  const resource = timeline.keys.get(background) ?? '';
  const dim = background.dim ?? 0;
  const base = { ...BARE, pointer, matrix: IDENTITY, width, height, clips: [rectOf(width, height)] };
  const shade = dim <= 0 ? [] : [fillNode(pointer, timeline, solid([0, 0, 0, dim]))];
  const share = Math.min(1, scope.now / Math.max(1e-6, scope.span));
  const blur = background.blur ?? 0;
  const image = {
    resource,
    fit: background.fit ?? 'cover',
    focus: background.focus ?? [0.5, 0.5],
    crop: [0, 0, 1, 1],
    zoom: 1 + ((background.zoom ?? 1) - 1) * share,
    shift: [0, 0],
  } as const;
  const content: Content =
    background.type === 'image'
      ? { ...image, kind: 'image' }
      : {
          ...image,
          kind: 'clip',
          seconds: scope.now,
          trim: 0,
          step: 1 / scope.fps,
          loop: background.loop ?? true,
        };
  const effects = blur > 0 ? [{ type: 'blur', amount: blur }] : [];
  return [{ ...base, effects, fillsFrame: true, content }, ...shade];
}
