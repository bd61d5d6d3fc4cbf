// Defines easing curves, which map progress 0 to 1 to a value that is 0 at 0 and 1 at 1.

/** Names of easing curves. */
export const EASINGS = [
  'linear',
  'ease',
  'ease-in',
  'ease-out',
  'ease-in-out',
  'quad-in',
  'quad-out',
  'quad-in-out',
  'cubic-in',
  'cubic-out',
  'cubic-in-out',
  'quart-in',
  'quart-out',
  'quart-in-out',
  'expo-in',
  'expo-out',
  'expo-in-out',
  'circ-in',
  'circ-out',
  'circ-in-out',
  'back-in',
  'back-out',
  'back-in-out',
  'elastic-out',
  'bounce-out',
  'hold',
] as const;

export type EasingName = (typeof EASINGS)[number];

export interface SpringEasing {
  readonly spring: {
    readonly stiffness?: number | undefined;
    readonly damping?: number | undefined;
    readonly mass?: number | undefined;
  };
}

/** An easing of a scene graph: a name, a cubic Bézier curve, a spring, or a number of steps. */
export type Easing =
  | EasingName
  | { readonly cubicBezier: readonly [number, number, number, number] }
  | SpringEasing
  | { readonly steps: number };

type Curve = (t: number) => number;

const createPowerCurves = (n: number): readonly [Curve, Curve, Curve] => {
  const easeIn: Curve = t => t ** n;
  return [easeIn, toEaseOut(easeIn), toEaseInOut(easeIn)];
};
const toEaseOut =
  (easeIn: Curve): Curve =>
  t =>
    1 - easeIn(1 - t);
const toEaseInOut =
  (easeIn: Curve): Curve =>
  t =>
    t < 0.5 ? easeIn(t * 2) / 2 : 1 - easeIn((1 - t) * 2) / 2;

const [quadIn, quadOut, quadInOut] = createPowerCurves(2);
const [cubicIn, cubicOut, cubicInOut] = createPowerCurves(3);
const [quartIn, quartOut, quartInOut] = createPowerCurves(4);
const expoIn: Curve = t => (t <= 0 ? 0 : (2 ** (10 * t) - 1) / 1023);
const circIn: Curve = t => 1 - Math.sqrt(1 - t * t);
const backIn: Curve = t => 2.70158 * t ** 3 - 1.70158 * t ** 2;

function bounceOut(t: number): number {
  const n = 7.5625;
  if (t < 1 / 2.75) return n * t * t;
  if (t < 2 / 2.75) return n * (t - 1.5 / 2.75) ** 2 + 0.75;
  if (t < 2.5 / 2.75) return n * (t - 2.25 / 2.75) ** 2 + 0.9375;
  return n * (t - 2.625 / 2.75) ** 2 + 0.984375;
}

const CURVES: Readonly<Record<EasingName, Curve>> = {
  linear: t => t,
  ease: createBezier(0.25, 0.1, 0.25, 1),
  'ease-in': createBezier(0.42, 0, 1, 1),
  'ease-out': createBezier(0, 0, 0.58, 1),
  'ease-in-out': createBezier(0.42, 0, 0.58, 1),
  'quad-in': quadIn,
  'quad-out': quadOut,
  'quad-in-out': quadInOut,
  'cubic-in': cubicIn,
  'cubic-out': cubicOut,
  'cubic-in-out': cubicInOut,
  'quart-in': quartIn,
  'quart-out': quartOut,
  'quart-in-out': quartInOut,
  'expo-in': expoIn,
  'expo-out': toEaseOut(expoIn),
  'expo-in-out': toEaseInOut(expoIn),
  'circ-in': circIn,
  'circ-out': toEaseOut(circIn),
  'circ-in-out': toEaseInOut(circIn),
  'back-in': backIn,
  'back-out': toEaseOut(backIn),
  'back-in-out': toEaseInOut(backIn),
  'elastic-out': t =>
    t <= 0 ? 0 : t >= 1 ? 1 : 2 ** (-10 * t) * Math.sin(((t * 10 - 0.75) * 2 * Math.PI) / 3) + 1,
  'bounce-out': bounceOut,
  hold: t => (t < 1 ? 0 : 1),
};

/** Returns the value of the curve. Clamps progress to 0 to 1. */
export function ease(spec: Easing, progress: number): number {
  if (progress <= 0) return 0;
  if (progress >= 1) return 1;
  if (typeof spec === 'string') return CURVES[spec](progress);
  if ('steps' in spec) return Math.floor(progress * spec.steps) / spec.steps;
  if ('spring' in spec) return createSpring(spec.spring)(progress);
  return createBezier(...spec.cubicBezier)(progress);
}

/** Creates a CSS cubic-bezier curve. Bisection always converges, and 24 steps are more precise than a frame needs. */
function createBezier(x1: number, y1: number, x2: number, y2: number): Curve {
  const evaluate = (a: number, b: number, t: number): number =>
    3 * a * t * (1 - t) ** 2 + 3 * b * t * t * (1 - t) + t ** 3;
  return x => {
    let [low, high] = [0, 1];
    for (let step = 0; step < 24; step++) {
      const middle = (low + high) / 2;
      if (evaluate(x1, x2, middle) < x) low = middle;
      else high = middle;
    }
    return evaluate(y1, y2, (low + high) / 2);
  };
}

/**
 * Returns the curve of a damped oscillator that is released at 0 and comes to rest at 1. Time is scaled so that the
 * remaining swing at progress 1 is under 0.005. This remainder is spread over the curve, so that it ends at exactly 1.
 */
function createSpring({ stiffness = 170, damping = 18, mass = 1 }: SpringEasing['spring']): Curve {
  const omega = Math.sqrt(stiffness / mass);
  // Bounds the scaling: an overdamped or undamped spring would otherwise barely move or never settle.
  const zeta = Math.min(3, Math.max(0.08, damping / (2 * Math.sqrt(stiffness * mass))));
  const slowestRate = zeta <= 1 ? zeta * omega : omega * (zeta - Math.sqrt(zeta * zeta - 1));
  const seconds = Math.log(200) / slowestRate;
  const swing = (t: number): number => {
    const decay = Math.exp(-zeta * omega * t);
    if (Math.abs(zeta - 1) < 1e-4) return 1 - decay * (1 + omega * t);
    if (zeta < 1) {
      const damped = omega * Math.sqrt(1 - zeta * zeta);
      return 1 - decay * (Math.cos(damped * t) + ((zeta * omega) / damped) * Math.sin(damped * t));
    }
    const root = omega * Math.sqrt(zeta * zeta - 1);
    const [fast, slow] = [-zeta * omega - root, -zeta * omega + root];
    return 1 - (slow * Math.exp(fast * t) - fast * Math.exp(slow * t)) / (slow - fast);
  };
  const remainder = 1 - swing(seconds);
  return p => swing(p * seconds) + remainder * p;
}
