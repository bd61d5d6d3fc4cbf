// Reacts to ComfyUI servers that go down or come back.
import type { ServerEvents } from '../../services/comfyui/watch-servers.ts';
import type { RunDeps } from '../deps.ts';

export const createServerEvents = (_deps: RunDeps): ServerEvents => ({
  onUp: () => Promise.resolve(),
  onDown: () => Promise.resolve(),
});
