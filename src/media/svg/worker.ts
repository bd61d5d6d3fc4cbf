// Serves the worker thread that sanitizes large SVGs.
import { serveTasks } from '../../lib/threads/serve.ts';
import { type SanitizedSvg, sanitizeSvg } from './svg.ts';

serveTasks<Uint8Array, SanitizedSvg>(sanitizeSvg);
