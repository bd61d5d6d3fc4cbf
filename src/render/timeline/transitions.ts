// Defines transitions between scenes. Each computes the states of the outgoing and the incoming scene from the progress.
import type { Direction, TRANSITIONS } from '../schema/motion.ts';
import type { Matrix, Outline } from './draw-list.ts';
import {
  applyAbout,
  DIRECTION_VECTORS,
  IDENTITY,
  multiply,
  rotation,
  scaling,
  translation,
} from './matrix.ts';
import { createCircle, createInsetRect } from './outlines.ts';

export interface SceneState {
  readonly matrix: Matrix;
  readonly opacity: number;
  readonly blur: number;
  readonly clip?: Outline;
}

export interface TransitionState {
  readonly from: SceneState;
  readonly to: SceneState;
  /** Which scene is in front. */
  readonly front: 'from' | 'to';
  /** Opacity of the color over both scenes. */
  readonly dip: number;
}

export interface TransitionInput {
  /** The eased progress, 0 at the start. */
  readonly p: number;
  readonly direction: Direction;
  readonly width: number;
  readonly height: number;
  /** Whether the incoming scene covers the frame, so that the outgoing scene need not fade. */
  readonly isOpaque: boolean;
}

const NO_CHANGE: SceneState = { matrix: IDENTITY, opacity: 1, blur: 0 };

type Transition = (input: TransitionInput) => {
  from?: Partial<SceneState>;
  to?: Partial<SceneState>;
  front?: 'from';
  dip?: number;
};

const translateBy = ({ direction, width, height }: TransitionInput, share: number): Matrix => {
  const [x, y] = DIRECTION_VECTORS[direction];
  return translation(x * width * share, y * height * share);
};
const applyAboutCenter = ({ width, height }: TransitionInput, matrix: Matrix): Matrix =>
  applyAbout(width / 2, height / 2, matrix);
const getOutgoingOpacity = ({ p, isOpaque }: TransitionInput): number => (isOpaque ? 1 : 1 - p);

const TRANSITIONS_BY_TYPE: Readonly<Record<(typeof TRANSITIONS)[number], Transition>> = {
  cut: () => ({}),
  fade: c => ({ from: { opacity: getOutgoingOpacity(c) }, to: { opacity: c.p } }),
  slide: c => ({
    from: { opacity: 1 - c.p, matrix: translateBy(c, c.p * 0.12) },
    to: { opacity: Math.min(1, c.p * 1.5), matrix: translateBy(c, (c.p - 1) * 0.12) },
  }),
  push: c => ({ from: { matrix: translateBy(c, c.p) }, to: { matrix: translateBy(c, c.p - 1) } }),
  cover: c => ({ from: { matrix: translateBy(c, c.p * 0.25) }, to: { matrix: translateBy(c, c.p - 1) } }),
  reveal: c => ({
    from: { matrix: translateBy(c, c.p) },
    to: { matrix: translateBy(c, (c.p - 1) * 0.25) },
    front: 'from',
  }),
  wipe: c => ({ from: { opacity: 1 }, to: { clip: createWipe(c) } }),
  split: c => ({ to: { clip: createSplitWipe(c) } }),
  blinds: c => ({ to: { clip: createBlinds(c) } }),
  zoom: c => ({
    from: { opacity: 1 - c.p, matrix: applyAboutCenter(c, scaling(1 + c.p * 0.7, 1 + c.p * 0.7)) },
    to: {
      opacity: Math.min(1, c.p * 1.4),
      matrix: applyAboutCenter(c, scaling(0.72 + c.p * 0.28, 0.72 + c.p * 0.28)),
    },
  }),
  iris: c => {
    const radius = (Math.hypot(c.width, c.height) / 2) * c.p;
    return { to: { clip: createCircle(c.width / 2, c.height / 2, radius) } };
  },
  'clock-wipe': c => {
    const radius = Math.hypot(c.width, c.height);
    const arc = c.direction === 'right' ? ([360 - 360 * c.p, 360] as const) : ([0, 360 * c.p] as const);
    return { to: { clip: { ...createCircle(c.width / 2, c.height / 2, radius), arc, pie: true } } };
  },
  blur: c => ({
    from: { opacity: getOutgoingOpacity(c), blur: c.p * getBlur(c) },
    to: { opacity: c.p, blur: (1 - c.p) * getBlur(c) },
  }),
  dip: c => ({
    from: { opacity: c.p < 0.5 ? 1 : 0 },
    to: { opacity: c.p < 0.5 ? 0 : 1 },
    dip: 1 - Math.abs(c.p * 2 - 1),
  }),
  flip: c => {
    const isFirst = c.p < 0.5;
    const shrink = Math.abs(Math.cos(c.p * Math.PI));
    const rotated = applyAboutCenter(
      c,
      DIRECTION_VECTORS[c.direction][0] !== 0 ? scaling(shrink, 1) : scaling(1, shrink),
    );
    return {
      from: { matrix: rotated, opacity: isFirst ? 1 : 0 },
      to: { matrix: rotated, opacity: isFirst ? 0 : 1 },
    };
  },
  spin: c => {
    const sign = c.direction === 'left' || c.direction === 'up' ? -1 : 1;
    const rotateBy = (share: number, scale: number): Matrix =>
      applyAboutCenter(c, multiply(rotation(sign * share * 90), scaling(scale, scale)));
    return {
      from: { matrix: rotateBy(c.p, 1 + c.p * 0.6), opacity: 1 - c.p },
      to: { matrix: rotateBy(c.p - 1, 1.6 - c.p * 0.6), opacity: c.p },
    };
  },
};

/** Returns the state of both scenes. Only the outgoing scene is visible at p = 0, and only the incoming at p = 1. */
export function getTransitionState(
  type: (typeof TRANSITIONS)[number],
  input: TransitionInput,
): TransitionState {
  const { from, to, front = 'to', dip = 0 } = TRANSITIONS_BY_TYPE[type](input);
  return { from: { ...NO_CHANGE, ...from }, to: { ...NO_CHANGE, ...to }, front, dip };
}

const getBlur = ({ width, height }: TransitionInput): number => Math.min(width, height) * 0.035;

/** Returns the part of the frame that a wipe has revealed. */
function createWipe({ direction, width, height, p }: TransitionInput): Outline {
  const hidden = 1 - p;
  const insets: Readonly<Record<Direction, readonly [number, number, number, number]>> = {
    left: [0, 0, 0, hidden * width],
    right: [0, hidden * width, 0, 0],
    up: [hidden * height, 0, 0, 0],
    down: [0, 0, hidden * height, 0],
  };
  return createInsetRect(width, height, insets[direction]);
}

function createSplitWipe({ direction, width, height, p }: TransitionInput): Outline {
  const isUpright = DIRECTION_VECTORS[direction][0] !== 0;
  const hidden = (1 - p) / 2;
  return isUpright
    ? createInsetRect(width, height, [0, hidden * width, 0, hidden * width])
    : createInsetRect(width, height, [hidden * height, 0, hidden * height, 0]);
}

const BLINDS = 8;

function createBlinds({ direction, width, height, p }: TransitionInput): Outline {
  const isUpright = DIRECTION_VECTORS[direction][0] !== 0;
  const parts = Array.from({ length: BLINDS }, (_, index): Outline => {
    const [blindWidth, blindHeight] = isUpright ? [width / BLINDS, height] : [width, height / BLINDS];
    return {
      form: 'rect',
      x: isUpright ? index * blindWidth : 0,
      y: isUpright ? 0 : index * blindHeight,
      // Slightly larger at the end, so that no seam shows between open blinds.
      width: isUpright ? blindWidth * p + (p >= 1 ? 0.5 : 0) : blindWidth,
      height: isUpright ? blindHeight : blindHeight * p + (p >= 1 ? 0.5 : 0),
      radius: [0, 0, 0, 0],
    };
  });
  return { form: 'many', parts };
}
