// Lists the providers: what each is for, where to get a key, and what a credential consists of.
import type { Credential } from '../../../../sdk/src/schemas.ts';

export type ProviderName = Credential['kind'];

export interface ProviderInfo {
  readonly description: string;
  /** The page on which users get a key. */
  readonly keyUrl?: string;
  /** Whether the server's address is required, optional, or fixed. */
  readonly address: 'required' | 'optional' | 'fixed';
}

export const PROVIDERS: Readonly<Record<ProviderName, ProviderInfo>> = {
  fal: {
    description: 'Images, video, lip sync and audio',
    keyUrl: 'https://fal.ai/dashboard/keys',
    address: 'fixed',
  },
  replicate: {
    description: 'Open models for images, video and audio',
    keyUrl: 'https://replicate.com/account/api-tokens',
    address: 'fixed',
  },
  openai: {
    description: 'Text and images, also from compatible servers',
    keyUrl: 'https://platform.openai.com/api-keys',
    address: 'optional',
  },
  elevenlabs: {
    description: 'Speech and sound',
    keyUrl: 'https://elevenlabs.io/app/settings/api-keys',
    address: 'fixed',
  },
  comfyui: {
    description: 'Models on your own server',
    address: 'required',
  },
};

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];
