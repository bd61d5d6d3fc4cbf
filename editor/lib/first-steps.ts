// Stores in this browser which of the first steps are done. A card shows the steps to users who have no workflow yet.
import { create } from 'zustand';

export const FIRST_STEPS = ['run', 'words', 'provider', 'code'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

interface StoredProgress {
  readonly isOpen: boolean;
  readonly done: readonly FirstStep[];
}

interface FirstSteps extends StoredProgress {
  /** Whether the user has just reopened the card. */
  readonly isReopened?: boolean;
}

const STORAGE_KEY = 'graphwright-first-steps';
const NOT_STARTED: FirstSteps = { isOpen: false, done: [] };

export const useFirstSteps = create<FirstSteps>(() => readProgress() ?? NOT_STARTED);

/** Opens the card for new users. Does nothing if this browser has shown it before. */
export function startFirstSteps(): void {
  if (readProgress() === undefined) saveProgress({ ...NOT_STARTED, isOpen: true });
}

/** Opens the card again, from the start if all steps are done. */
export function reopenFirstSteps(): void {
  const { done } = useFirstSteps.getState();
  saveProgress({ isOpen: true, isReopened: true, done: done.length === FIRST_STEPS.length ? [] : done });
}

export function closeFirstSteps(): void {
  saveProgress({ ...useFirstSteps.getState(), isOpen: false });
}

/** Stores that a step is done. The last step closes the card. */
export function finishFirstStep(step: FirstStep): void {
  const { isOpen, done } = useFirstSteps.getState();
  if (!isOpen || done.includes(step)) return;
  saveProgress({ isOpen: done.length + 1 < FIRST_STEPS.length, done: [...done, step] });
}

function saveProgress(state: FirstSteps): void {
  useFirstSteps.setState(state);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(state));
  } catch {
    // Without storage, the card closes with the page.
  }
}

function readProgress(): StoredProgress | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return undefined;
    const { isOpen, done } = stored as { readonly isOpen?: unknown; readonly done?: unknown };
    return {
      isOpen: isOpen === true,
      done: FIRST_STEPS.filter(step => Array.isArray(done) && done.includes(step)),
    };
  } catch {
    return undefined;
  }
}
