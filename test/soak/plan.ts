// Plans a soak from its seed: when runs start, which faults happen when, and how the receiver answers.
import { seededRandom } from '../../src/lib/seeded-random.ts';
import type { Shape } from './shapes.ts';

export interface SoakOptions {
  readonly seed: number;
  readonly runs: number;
  readonly faults: number;
  /** Runs start and faults happen within this time. */
  readonly loadMs: number;
  readonly workers: number;
}

/** The kinds of faults. The table in `apply-fault.ts` describes each. */
export const FAULTS = {
  'worker kill': { weight: 8 },
  'worker freeze': { weight: 5, maxMs: 4000 },
  // Longer than the 20 s after which others consider a worker dead.
  'worker long freeze': { weight: 2, minMs: 21_000, maxMs: 27_000, minLoadMs: 90_000 },
  'worker drain': { weight: 2 },
  'api kill': { weight: 5 },
  'api freeze': { weight: 3, maxMs: 4000 },
  'postgres kill': { weight: 3, endsPostgres: true },
  'postgres restart': { weight: 3, endsPostgres: true },
  'postgres backend kill': { weight: 2 },
  'postgres freeze': { weight: 3, maxMs: 4000 },
  'connections cut': { weight: 2 },
  'provider refuses': { weight: 2 },
  'provider fails': { weight: 2 },
  'provider resets': { weight: 2 },
} as const satisfies Record<string, FaultRow>;

interface FaultRow {
  readonly weight: number;
  readonly minMs?: number;
  readonly maxMs?: number;
  /** The fault is not used in shorter loads. */
  readonly minLoadMs?: number;
  /** Stops PostgreSQL. The embedded server is restarted at most five times a minute, so these faults are spaced out. */
  readonly endsPostgres?: true;
}

export type FaultKind = keyof typeof FAULTS;

export interface PlannedFault {
  readonly kind: FaultKind;
  readonly atMs: number;
  /** From 0 up to 1. Selects one of the possible targets. */
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
  /** `answering`: the receiver answers by its response mode; `failing`: it always fails. */
  readonly hook: 'none' | 'answering' | 'failing';
  /** Undefined if the run is not cancelled. */
  readonly cancelAfterMs: number | undefined;
  readonly approves: boolean;
}

/** How the webhook receiver responds; `hangs` means never. */
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
const POSTGRES_PAUSE_MS = 16_000;
const HOOK_PROBABILITY = { answering: 0.8, failing: 0.02 } as const;
const CANCEL_PROBABILITY = 0.1;
const APPROVAL_PROBABILITY = 0.7;
const MAX_CANCEL_MS = 4000;

export function createPlan(options: SoakOptions, shapes: Readonly<Record<string, Shape>>): Plan {
  const { runs, loadMs, seed } = options;
  const random = seededRandom(seed);
  const faults = planFaults(options, random);
  const planned = Array.from({ length: runs }, (_, run): PlannedRun => {
    const [start, shape, account, hook] = [random(), random(), random(), random()];
    const [cancel, cancelTime, approve] = [random(), random(), random()];
    return {
      run,
      atMs: start * loadMs,
      shape: pick(
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
  return { runs: planned.sort((a, b) => a.atMs - b.atMs), faults, responseModes };
}

/** Plans every kind of fault once before a kind repeats, at random times within equal parts of the load. */
function planFaults({ faults, loadMs }: SoakOptions, random: () => number): PlannedFault[] {
  const kinds = (Object.keys(FAULTS) as FaultKind[]).filter(kind => (getRow(kind).minLoadMs ?? 0) <= loadMs);
  const unusedKinds = new Set(kinds);
  let postgresMs = Number.NEGATIVE_INFINITY;
  return Array.from({ length: faults }, (_, index): PlannedFault => {
    const atMs = ((index + random()) * loadMs) / faults;
    const isAllowed = (kind: FaultKind): boolean =>
      getRow(kind).endsPostgres !== true || atMs - postgresMs > POSTGRES_PAUSE_MS;
    const allowedUnused = kinds.filter(kind => unusedKinds.has(kind) && isAllowed(kind));
    const candidates = allowedUnused.length > 0 ? allowedUnused : kinds.filter(isAllowed);
    const kind = pick(
      candidates.map(name => [name, FAULTS[name].weight] as const),
      random(),
    );
    const { endsPostgres, minMs = 300, maxMs = minMs } = getRow(kind);
    if (endsPostgres === true) postgresMs = atMs;
    unusedKinds.delete(kind);
    return { kind, atMs, targetFraction: random(), durationMs: minMs + random() * (maxMs - minMs) };
  });
}

const getRow = (kind: FaultKind): FaultRow => FAULTS[kind];

/** Returns the item whose share of the weights contains `share`, from 0 up to 1. */
function pick<T>(weighted: readonly (readonly [T, number])[], share: number): T {
  let remaining = share * weighted.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of weighted) {
    remaining -= weight;
    if (remaining < 0) return value;
  }
  throw new Error('There is nothing to pick from.');
}
