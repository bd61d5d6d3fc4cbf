// Reacts to ComfyUI servers that go down or come back: moves their calls, and cancels prompts of calls that moved away.
import { startDeadline } from '../../lib/deadline.ts';
import { pollProviderTask } from '../../nodes/models/task-providers.ts';
import type { ServerEvents } from '../../services/comfyui/watch-servers.ts';
import { deleteCancellation, listCancellations } from '../../store/comfyui-calls.ts';
import type { RunDeps } from '../deps.ts';
import { moveCallsOfServer } from './server-queues.ts';

export const createServerEvents = (deps: RunDeps): ServerEvents => ({
  onUp: server => cancelMoved(deps, server.id),
  onDown: (server, error) => moveCallsOfServer(deps, server.workspace, server.id, error),
});

/** Cancels the prompts of calls that moved away from the server, before it gets new calls. */
async function cancelMoved(deps: RunDeps, serverId: string): Promise<void> {
  for (const { value_id, prompt_id } of await listCancellations(deps.runDb, serverId)) {
    const credential = await deps.credentialOpener.open('comfyui', value_id);
    if (credential !== undefined) {
      using deadline = startDeadline(deps.timing.callPollTimeoutMs, new AbortController().signal);
      const task = { id: prompt_id, isCancelled: true };
      const state = await pollProviderTask('comfyui', credential, task, deadline.signal).catch(
        () => undefined,
      );
      // The next check tries again.
      if (state === undefined || state.kind === 'unknown') return;
    }
    await deleteCancellation(deps.runDb, serverId, prompt_id);
  }
}
