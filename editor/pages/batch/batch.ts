// Defines what the list of batches and the page of a batch share: badge tones and the breadcrumb.
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

/** The first breadcrumb of both pages. */
export const RUNS_CRUMB = { title: messages.nav.executions, href: '/executions' };
