// Contains the code that prepares a QuickJS context for a program: a fixed clock, seeded random numbers, the log, and
// timers that fire in order without waiting.

/** The time that programs see. It never changes, so that a program gives the same result for the same input. */
const NOW_MS = Date.UTC(2000, 0, 1);

/**
 * The source of a function (seed, log) that returns [invoke, runTimer]. `invoke(program, input)` calls a program and
 * resolves with its output as JSON text. `runTimer()` runs the next timer and returns whether there was one. The random
 * numbers are those of lib/seeded-random.ts.
 */
export const PRELUDE = `(seed, log) => {
  const { parse, stringify } = JSON;
  const OriginalDate = Date;
  const fixed = new Proxy(OriginalDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [${NOW_MS}] : args, newTarget === fixed ? target : newTarget),
    apply: () => new OriginalDate(${NOW_MS}).toString(),
  });
  OriginalDate.now = () => ${NOW_MS};
  OriginalDate.prototype.constructor = fixed;
  globalThis.Date = fixed;

  let state = seed >>> 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  const format = value => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return String(value);
    try {
      return stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const write = (...values) => log(values.map(format).join(' '));
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write };

  let timers = [];
  let time = 0;
  let lastId = 0;
  globalThis.setTimeout = (callback, delay, ...args) => {
    timers.push({ id: ++lastId, at: time + Math.max(0, Number(delay) || 0), run: () => callback(...args) });
    return lastId;
  };
  globalThis.clearTimeout = id => {
    timers = timers.filter(timer => timer.id !== id);
  };
  const runTimer = () => {
    if (timers.length === 0) return false;
    const next = timers.reduce((earliest, timer) => (timer.at < earliest.at ? timer : earliest));
    timers = timers.filter(timer => timer !== next);
    time = next.at;
    next.run();
    return true;
  };

  const invoke = async (program, input) => {
    if (typeof program !== 'function')
      throw new TypeError('The program must export a default function, for example: export default ({ a }) => ({ out: a });');
    const output = await program(parse(input));
    if (typeof output !== 'object' || output === null || Array.isArray(output))
      throw new TypeError('The program must return an object with a member for each output.');
    return stringify(output);
  };
  return [invoke, runTimer];
}`;
