// Lists the providers with tasks, for the poller that tracks the calls of suspended runs.
import { comfyui } from '../../providers/comfyui.ts';
import { fal } from '../../providers/fal.ts';
import { openaiResponses } from '../../providers/openai.ts';
import { type PolledTask, pollTask, type TaskProvider, type TaskState } from '../../providers/poll-task.ts';
import { replicate } from '../../providers/replicate.ts';
import type { NodeContext } from '../define.ts';
import type { Providers } from './providers.ts';

const CONNECT = { fal, replicate, comfyui, openai: openaiResponses } as const;

export type TaskProviderName = keyof typeof CONNECT;

export function hasTasks(name: keyof Providers): name is TaskProviderName {
  return Object.hasOwn(CONNECT, name);
}

/** Polls or cancels a task. */
export type PollTask = (
  call: PolledTask,
  send: NodeContext['providerFetch'],
  signal: AbortSignal,
) => Promise<TaskState>;

/** Returns how to poll the provider's tasks; undefined if it is not configured. */
export function createTaskPoller(providers: Providers, name: TaskProviderName): PollTask | undefined {
  const endpoint = providers[name];
  if (endpoint === undefined) return undefined;
  const provider = CONNECT[name](endpoint) as unknown as TaskProvider;
  return (call, send, signal) => pollTask(provider, call, send, signal);
}
