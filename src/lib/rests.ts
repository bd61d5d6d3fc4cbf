// Lets accounts rest after costly work while other accounts are active, because their work needs the same processors.
import { availableParallelism } from 'node:os';
import { hasActiveOthers } from './active-accounts.ts';

/** On two processors, an account rests four times as long as it worked, as in `lib/fair-scheduler`. More processors need less. */
const REST_FACTOR = 8 / Math.max(2, availableParallelism());
/** Work that took less time needs no rest: rate limits bound how often it is done. */
const FREE_MS = 200;
const MAX_REST_MS = 5000;

export class Rests {
  /** The resting accounts, each with the timer that ends its rest. */
  readonly #rests = new Map<string, { readonly endMs: number; readonly timer: NodeJS.Timeout }>();
  readonly #hasOthers: (account: string) => boolean;

  /** `hasOthers`: whether accounts besides this one are active. */
  constructor(hasOthers = hasActiveOthers) {
    this.#hasOthers = hasOthers;
  }

  has(account: string): boolean {
    return this.#rests.has(account);
  }

  /** Begins the rest of an account after work that took `tookMs`, if it needs one. Calls `onEnd` at the end of the rest. */
  begin(account: string, tookMs: number, onEnd: () => void): void {
    const restMs = Math.min(MAX_REST_MS, REST_FACTOR * (tookMs - FREE_MS));
    if (restMs <= 0 || !this.#hasOthers(account)) return;
    const endMs = performance.now() + restMs;
    const current = this.#rests.get(account);
    if (current !== undefined && current.endMs >= endMs) return;
    clearTimeout(current?.timer);
    const end = (): void => {
      this.#rests.delete(account);
      onEnd();
    };
    this.#rests.set(account, { endMs, timer: setTimeout(end, restMs) });
  }
}
