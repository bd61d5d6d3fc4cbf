// Starts what the looks need around their service: a provider with a list of models, and a plan with little storage.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenApi, VIDEO_INPUT } from '../../nodes/models/published.ts';
import { startFal } from '../../support/providers/fal.ts';

export const STORAGE_LIMIT = 1_000_000_000;

/** A video model in the format of fal's list. */
const listedModel = (endpoint: string) => ({
  endpoint_id: endpoint,
  metadata: { display_name: endpoint === 'fal-ai/kite' ? 'Kite' : 'Other', category: 'text-to-video' },
  openapi: createOpenApi(endpoint, VIDEO_INPUT),
});

export interface LookEnv {
  readonly env: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** Call this before the service starts, and `close` after it has stopped. */
export async function startLookEnv(): Promise<LookEnv> {
  const fal = await startFal(Buffer.from('x'));
  fal.models = ['fal-ai/kite', 'fal-ai/other'].map(listedModel);
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-plans-'));
  const plansFile = join(folder, 'plans.json');
  await writeFile(plansFile, JSON.stringify({ self_hosted: { storageBytes: STORAGE_LIMIT } }));
  return {
    env: {
      FAL_BASE_URL: fal.url,
      PLANS_FILE: plansFile,
      // The sign-in page links to the provider. Nobody follows the link.
      OIDC_ISSUER: 'https://accounts.example.com',
      OIDC_CLIENT_ID: 'graphwright',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_ALLOWED_DOMAINS: 'example.com',
    },
    close: async () => {
      await fal.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
