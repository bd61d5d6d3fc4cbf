// Room for so many at once by key, where who finds none waits a moment and is then turned away, so that a slow key
// keeps nobody else from their turn.

export interface LaneKey {
  readonly key: string;
  readonly limit: number;
}

export interface Lanes {
  /** Room in every lane named, to be given back by the function; undefined where there is none soon. */
  enter(keys: readonly LaneKey[]): Promise<(() => void) | undefined>;
}

interface Lane {
  readonly limit: number;
  /** Since when each of those in it is in, oldest first. */
  readonly entered: Set<{ readonly atMs: number }>;
  /** How long the last ones took. */
  paceMs: number;
  waiting: number;
}

interface Waiter {
  readonly lanes: readonly Lane[];
  readonly admit: (pass: (() => void) | undefined) => void;
}

/** `patienceMs`: how long a turn may take to come; who would wait longer by the pace of the lane is turned away at once. */
export function createLanes(patienceMs: number, now: () => number): Lanes {
  const lanes = new Map<string, Lane>();
  const waiters = new Set<Waiter>();

  const laneOf = ({ key, limit }: LaneKey): Lane => {
    const lane = lanes.get(key) ?? { limit, entered: new Set(), paceMs: 0, waiting: 0 };
    lanes.set(key, lane);
    return lane;
  };
  const take = (taken: readonly Lane[]): (() => void) => {
    const stay = { atMs: now() };
    for (const lane of taken) lane.entered.add(stay);
    return () => {
      for (const lane of taken) {
        lane.entered.delete(stay);
        lane.paceMs = (lane.paceMs + now() - stay.atMs) / 2;
      }
      admitNext();
      for (const [key, lane] of lanes) if (lane.entered.size + lane.waiting === 0) lanes.delete(key);
    };
  };
  const admitNext = (): void => {
    for (const waiter of waiters) if (waiter.lanes.every(hasRoom)) waiter.admit(take(waiter.lanes));
  };
  const wait = (wanted: readonly Lane[]): Promise<(() => void) | undefined> =>
    new Promise(resolve => {
      const admit: Waiter['admit'] = pass => {
        clearTimeout(timer);
        waiters.delete(waiter);
        for (const lane of wanted) lane.waiting--;
        resolve(pass);
      };
      const timer = setTimeout(() => admit(undefined), patienceMs);
      const waiter = { lanes: wanted, admit };
      for (const lane of wanted) lane.waiting++;
      waiters.add(waiter);
    });

  return {
    async enter(keys) {
      const wanted = keys.map(laneOf);
      if (wanted.every(hasRoom)) return take(wanted);
      if (wanted.some(lane => expectedMs(lane, now()) > patienceMs)) return undefined;
      return wait(wanted);
    },
  };
}

function hasRoom({ entered, limit }: Lane): boolean {
  return entered.size < limit;
}

function expectedMs(lane: Lane, nowMs: number): number {
  if (hasRoom(lane)) return 0;
  const [oldest] = lane.entered;
  const paceMs = Math.max(lane.paceMs, nowMs - (oldest?.atMs ?? nowMs));
  return ((lane.waiting + 1) / lane.limit) * paceMs;
}
