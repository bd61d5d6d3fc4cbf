// Truncates steps in a thread of the pool in steps.ts.
import { serveTasks } from '../lib/threads/serve.ts';
import { type TruncationRequest, truncateSteps } from './truncate-steps.ts';

serveTasks<TruncationRequest, string>(truncateSteps);
