// Lists what the list and the page of batches share: tones of statuses, and the place of the list among the pages.
import type { Batch } from '../../../sdk/src/types.ts';
import type { Tone } from '../../kit/badge.tsx';
import { messages } from '../../messages.ts';

export const TONES: Readonly<Record<Batch['status'], Tone>> = {
  RUNNING: 'accent',
  PAUSED: 'warning',
  STOPPING: 'warning',
  STOPPED: 'neutral',
  COMPLETED: 'success',
};

/** The page above the list of batches. */
export const RUNS = { title: messages.nav.executions, href: '/executions' };
