// Shortens node states in a thread of the pool in steps.ts.
import { serveTasks } from '../lib/threads/serve.ts';
import { type CutRequest, cutSteps } from './cut-steps.ts';

serveTasks<CutRequest, string>(cutSteps);
