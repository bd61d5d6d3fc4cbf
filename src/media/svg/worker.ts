// Serves the worker thread that sanitizes large SVGs.
import { serveTasks } from '../../lib/threads/serve.ts';
import { sanitizeSvg } from './svg.ts';

serveTasks<Uint8Array, Uint8Array>(sanitizeSvg);
