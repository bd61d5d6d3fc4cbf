// Lists the providers, with the page where users get a key and whether users can enter a server address.
import type { Credential } from '../../../../sdk/src/schemas.ts';

export type ProviderName = Credential['kind'];

export interface ProviderInfo {
  readonly description: string;
  /** The page on which users get a key. */
  readonly keyUrl?: string;
  /** Whether users must, may, or cannot enter a server address. */
  readonly addressMode: 'required' | 'optional' | 'fixed';
}

export const PROVIDERS: Readonly<Record<ProviderName, ProviderInfo>> = {
  fal: {
    description: 'Images, video, lip sync and audio',
    keyUrl: 'https://fal.ai/dashboard/keys',
    addressMode: 'fixed',
  },
  replicate: {
    description: 'Open models for images, video and audio',
    keyUrl: 'https://replicate.com/account/api-tokens',
    addressMode: 'fixed',
  },
  openai: {
    description: 'Text and images, also from compatible servers',
    keyUrl: 'https://platform.openai.com/api-keys',
    addressMode: 'optional',
  },
  elevenlabs: {
    description: 'Speech and sound',
    keyUrl: 'https://elevenlabs.io/app/settings/api-keys',
    addressMode: 'fixed',
  },
  comfyui: {
    description: 'Models on your own server',
    addressMode: 'required',
  },
};

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];
