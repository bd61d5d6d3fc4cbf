// Stores the progress of the first steps in this browser. They start when a user without workflows sees the gallery.
import { create } from 'zustand';

export const STEPS = ['run', 'words', 'provider', 'code'] as const;
export type Step = (typeof STEPS)[number];

interface Stored {
  readonly isOpen: boolean;
  readonly done: readonly Step[];
}

interface FirstSteps extends Stored {
  /** The user has just asked for the card. */
  readonly isReopened?: boolean;
}

const KEY = 'graphwright-first-steps';
const NOT_STARTED: FirstSteps = { isOpen: false, done: [] };

export const useFirstSteps = create<FirstSteps>(() => readStored() ?? NOT_STARTED);

/** Opens the card for new users. Does nothing if this browser has shown it before. */
export function startFirstSteps(): void {
  if (readStored() === undefined) save({ ...NOT_STARTED, isOpen: true });
}

/** Opens the card again, from the start if all steps are done. */
export function reopenFirstSteps(): void {
  const { done } = useFirstSteps.getState();
  save({ isOpen: true, isReopened: true, done: done.length === STEPS.length ? [] : done });
}

export function closeFirstSteps(): void {
  save({ ...useFirstSteps.getState(), isOpen: false });
}

/** Marks a step as done. The last one closes the card. */
export function finishStep(step: Step): void {
  const { isOpen, done } = useFirstSteps.getState();
  if (!isOpen || done.includes(step)) return;
  save({ isOpen: done.length + 1 < STEPS.length, done: [...done, step] });
}

function save(state: FirstSteps): void {
  useFirstSteps.setState(state);
  try {
    localStorage.setItem(KEY, JSON.stringify(state));
  } catch {
    // Without storage, the card closes with the page.
  }
}

function readStored(): Stored | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return undefined;
    const { isOpen, done } = stored as { readonly isOpen?: unknown; readonly done?: unknown };
    return {
      isOpen: isOpen === true,
      done: STEPS.filter(step => Array.isArray(done) && done.includes(step)),
    };
  } catch {
    return undefined;
  }
}
