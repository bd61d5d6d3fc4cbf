// Lists the providers with tasks, for the poller that tracks the calls of suspended runs.
import { comfyui } from '../../providers/comfyui.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import { fal } from '../../providers/fal.ts';
import { openaiResponses } from '../../providers/openai.ts';
import { type PolledTask, pollTask, type TaskProvider, type TaskState } from '../../providers/poll-task.ts';
import { replicate } from '../../providers/replicate.ts';

const PROTOCOLS = { fal, replicate, comfyui, openai: openaiResponses } as const;

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
