// Lists the providers with tasks, for the poller that tracks the calls of suspended runs.
import { createComfyUiProvider } from '../../providers/comfyui.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import { createFalProvider } from '../../providers/fal.ts';
import { createOpenAiResponsesProvider } from '../../providers/openai.ts';
import { type PolledTask, pollTask, type TaskProvider, type TaskState } from '../../providers/poll-task.ts';
import { createReplicateProvider } from '../../providers/replicate.ts';

const PROTOCOLS = {
  fal: createFalProvider,
  replicate: createReplicateProvider,
  comfyui: createComfyUiProvider,
  openai: createOpenAiResponsesProvider,
} as const;

export type TaskProviderName = keyof typeof PROTOCOLS;

export function hasTasks(name: string): name is TaskProviderName {
  return Object.hasOwn(PROTOCOLS, name);
}

/** Polls or cancels a task with the credential that submitted it. */
export function pollProviderTask(
  name: TaskProviderName,
  { endpoint, fetch }: Pick<ProviderCredential, 'endpoint' | 'fetch'>,
  call: PolledTask,
  signal: AbortSignal,
): Promise<TaskState> {
  const provider = PROTOCOLS[name](endpoint) as unknown as TaskProvider;
  return pollTask(provider, call, fetch, signal);
}
