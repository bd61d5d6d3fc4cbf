// Plans a soak from its seed: when runs start, which faults happen when, and how the receiver answers.
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import type { Shape } from './shapes.ts';

export interface SoakOptions {
  readonly seed: number;
  readonly runs: number;
  readonly faults: number;
  /** Runs start and faults happen within this time. */
  readonly loadMs: number;
  readonly workers: number;
}

/** The kinds of faults, which `apply-fault.ts` implements. */
export const FAULTS = {
  'worker kill': { weight: 8 },
  'worker freeze': { weight: 5, maxMs: 4000 },
  // The freeze is longer than the 20 s after which other workers consider a worker dead.
  'worker long freeze': { weight: 2, minMs: 21_000, maxMs: 27_000, minLoadMs: 90_000 },
  'worker drain': { weight: 2 },
  'api kill': { weight: 5 },
  'api freeze': { weight: 3, maxMs: 4000 },
  'postgres kill': { weight: 3, stopsPostgres: true },
  'postgres restart': { weight: 3, stopsPostgres: true },
  'postgres backend kill': { weight: 2 },
  'postgres freeze': { weight: 3, maxMs: 4000 },
  'connections cut': { weight: 2 },
  'provider refuses': { weight: 2 },
  'provider fails': { weight: 2 },
  'provider resets': { weight: 2 },
} as const satisfies Record<string, FaultTraits>;

interface FaultTraits {
  readonly weight: number;
  readonly minMs?: number;
  readonly maxMs?: number;
  /** A shorter soak does not use this fault. */
  readonly minLoadMs?: number;
  /** Such faults are spaced out, because the embedded PostgreSQL is restarted at most five times a minute. */
  readonly stopsPostgres?: true;
}

export type FaultKind = keyof typeof FAULTS;

export interface PlannedFault {
  readonly kind: FaultKind;
  readonly atMs: number;
  /** Selects one of the possible targets: at least 0 and below 1. */
  readonly targetFraction: number;
  /** The duration of a freeze. */
  readonly durationMs: number;
}

export interface PlannedRun {
  readonly run: number;
  readonly atMs: number;
  readonly shape: string;
  /** The account's index; the last one has few credits. */
  readonly account: number;
  /** The receiver responds by the response mode to an `answering` hook, and with an error to a `failing` hook. */
  readonly hook: 'none' | 'answering' | 'failing';
  /** Undefined if the run is not cancelled. */
  readonly cancelAfterMs: number | undefined;
  readonly approves: boolean;
}

/** How the webhook receiver responds, in this order. If it `hangs`, it does not respond. */
export const RESPONSE_MODES = [
  'answers',
  'fails',
  'answers',
  'hangs',
  'answers',
  'resets',
  'answers',
] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

export interface Plan {
  readonly runs: readonly PlannedRun[];
  readonly faults: readonly PlannedFault[];
  readonly responseModes: readonly { readonly atMs: number; readonly responseMode: ResponseMode }[];
}

export const ACCOUNTS = 3;
/** The minimum time between two faults that stop PostgreSQL. */
const MIN_POSTGRES_UPTIME_MS = 16_000;
const HOOK_PROBABILITY = { answering: 0.8, failing: 0.02 } as const;
const CANCEL_PROBABILITY = 0.1;
const APPROVAL_PROBABILITY = 0.7;
const MAX_CANCEL_MS = 4000;

export function createPlan(options: SoakOptions, shapes: Readonly<Record<string, Shape>>): Plan {
  const { runs, loadMs, seed } = options;
  const random = createSeededRandom(seed);
  const faults = planFaults(options, random);
  const plannedRuns = Array.from({ length: runs }, (_, run): PlannedRun => {
    const [start, shape, account, hook] = [random(), random(), random(), random()];
    const [cancel, cancelTime, approve] = [random(), random(), random()];
    return {
      run,
      atMs: start * loadMs,
      shape: pickByWeight(
        Object.entries(shapes).map(([name, { weight }]) => [name, weight] as const),
        shape,
      ),
      account: Math.floor(account * ACCOUNTS),
      hook:
        hook < HOOK_PROBABILITY.failing
          ? 'failing'
          : hook < HOOK_PROBABILITY.failing + HOOK_PROBABILITY.answering
            ? 'answering'
            : 'none',
      cancelAfterMs: cancel < CANCEL_PROBABILITY ? cancelTime * MAX_CANCEL_MS : undefined,
      approves: approve < APPROVAL_PROBABILITY,
    };
  });
  const responseModes = RESPONSE_MODES.map((responseMode, index) => ({
    responseMode,
    atMs: ((index + (index === 0 ? 0 : random() * 0.8)) * loadMs) / RESPONSE_MODES.length,
  }));
  return { runs: plannedRuns.sort((a, b) => a.atMs - b.atMs), faults, responseModes };
}

/** Plans every kind of fault once before a kind repeats, at random times within equal parts of the load. */
function planFaults({ faults, loadMs }: SoakOptions, random: () => number): PlannedFault[] {
  const kinds = (Object.keys(FAULTS) as FaultKind[]).filter(
    kind => (getTraits(kind).minLoadMs ?? 0) <= loadMs,
  );
  const unusedKinds = new Set(kinds);
  let lastPostgresStopMs = Number.NEGATIVE_INFINITY;
  return Array.from({ length: faults }, (_, index): PlannedFault => {
    const atMs = ((index + random()) * loadMs) / faults;
    const isAllowed = (kind: FaultKind): boolean =>
      getTraits(kind).stopsPostgres !== true || atMs - lastPostgresStopMs > MIN_POSTGRES_UPTIME_MS;
    const allowedUnused = kinds.filter(kind => unusedKinds.has(kind) && isAllowed(kind));
    const candidates = allowedUnused.length > 0 ? allowedUnused : kinds.filter(isAllowed);
    const kind = pickByWeight(
      candidates.map(name => [name, FAULTS[name].weight] as const),
      random(),
    );
    const { stopsPostgres, minMs = 300, maxMs = minMs } = getTraits(kind);
    if (stopsPostgres === true) lastPostgresStopMs = atMs;
    unusedKinds.delete(kind);
    return { kind, atMs, targetFraction: random(), durationMs: minMs + random() * (maxMs - minMs) };
  });
}

const getTraits = (kind: FaultKind): FaultTraits => FAULTS[kind];

/** Returns the item whose part of the total weight contains `share`, which is at least 0 and below 1. */
function pickByWeight<T>(weighted: readonly (readonly [T, number])[], share: number): T {
  let remaining = share * weighted.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of weighted) {
    remaining -= weight;
    if (remaining < 0) return value;
  }
  throw new Error('There is nothing to pick from.');
}
