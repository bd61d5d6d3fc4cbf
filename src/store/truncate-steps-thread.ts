// Truncates steps in a thread of the pool in steps.ts.
import { serveTasks } from '../lib/threads/serve.ts';
import type { StepRow } from './steps.ts';
import { type TruncationRequest, truncateSteps } from './truncate-steps.ts';

serveTasks<TruncationRequest, string | readonly StepRow[]>(request => {
  const text = truncateSteps(request);
  // Steps for display consist of few long texts, which are received faster than parsed. Stored ones may have many values.
  return request.isStoredForm === true ? text : (JSON.parse(text) as readonly StepRow[]);
});
