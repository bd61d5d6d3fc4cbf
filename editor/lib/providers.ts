// Names the providers for users, and finds the page on which a user adds a key.
import { useSession } from './session.ts';

const LABELS: Readonly<Record<string, string>> = {
  fal: 'fal',
  replicate: 'Replicate',
  openai: 'OpenAI',
  elevenlabs: 'ElevenLabs',
  comfyui: 'ComfyUI',
};

export const getProviderLabel = (provider: string): string => LABELS[provider] ?? provider;

/**
 * Returns where the user can add a key: for the instance, or for the active workspace. Returns undefined for users who
 * may do neither. With a provider, the page opens its dialog.
 */
export function useProviderSettings(provider?: string): string | undefined {
  const { user, workspace } = useSession();
  const query = provider === undefined ? '' : `?add=${provider}`;
  if (user.isAdmin) return `/settings/providers${query}`;
  return workspace.role === 'OWNER' ? `/settings/provider-keys${query}` : undefined;
}
