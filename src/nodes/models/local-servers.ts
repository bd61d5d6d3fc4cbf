// Finds servers of models on this machine, by the ports that they usually have.
import type { GuardedFetch } from '../../lib/fetch.ts';
import type { ServerRoute } from '../../providers/names.ts';
import { asRecord, parseResponseObject } from '../../providers/response.ts';
import type { Send } from '../../providers/send.ts';
import { readServerFacts } from './server-routes.ts';

/** Ollama; LM Studio and stable-diffusion.cpp; llama.cpp, LocalAI and whisper.cpp; vLLM and Speaches; Kokoro; ComfyUI; others. */
export const LOCAL_PORTS: readonly number[] = [11_434, 1234, 8080, 8000, 8880, 8188, 7860];

const TIMEOUT_MS = 3_000;
const MAX_COMFY_BYTES = 1_000_000;

export interface LocalServer {
  /** The kind of credential to store for it. */
  readonly kind: 'openai' | 'comfyui';
  readonly baseUrl: string;
  /** A name by which nodes could choose it. */
  readonly name: string;
  /** Empty for ComfyUI. */
  readonly serves: readonly ServerRoute[];
  readonly models: readonly string[];
}

/** Returns the servers that answer on these ports of this machine. */
export async function findServers(
  client: Pick<GuardedFetch, 'fetch'>,
  ports: readonly number[],
): Promise<readonly LocalServer[]> {
  const found = await Promise.all(ports.map(port => findServer(client, port)));
  return found.filter(server => server !== undefined);
}

async function findServer(
  client: Pick<GuardedFetch, 'fetch'>,
  port: number,
): Promise<LocalServer | undefined> {
  const origin = `http://127.0.0.1:${port}`;
  const fetch: Send = (url, init) => client.fetch(url, { ...init, trustedOrigin: origin, maxRedirects: 0 });
  const baseUrl = `${origin}/v1`;
  const { serves = [], models = [] } = await readServerFacts(
    { endpoint: { baseUrl, key: '' }, fetch },
    TIMEOUT_MS,
  );
  if (serves.length + models.length > 0)
    return {
      kind: 'openai',
      baseUrl,
      name: suggestName(port, serves, models),
      serves,
      models,
    };
  if (!(await isComfyUi(origin, fetch))) return undefined;
  return { kind: 'comfyui', baseUrl: origin, name: 'comfyui', serves: [], models: [] };
}

async function isComfyUi(origin: string, fetch: Send): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_COMFY_BYTES, signal };
  const response = await fetch(`${origin}/system_stats`, { method: 'GET', ...limits }).catch(() => undefined);
  const body = response?.status === 200 ? parseResponseObject(response) : undefined;
  return typeof asRecord(body?.system).comfyui_version === 'string' || Array.isArray(body?.devices);
}

const NAMES_BY_PORT: ReadonlyMap<number, string> = new Map([
  [11_434, 'ollama'],
  [8880, 'kokoro'],
]);

const NAMES_BY_ROUTE: Readonly<Record<ServerRoute, string>> = {
  chat: 'chat',
  images: 'images',
  speech: 'speech',
  transcriptions: 'whisper',
  embeddings: 'embeddings',
};

function suggestName(
  port: number,
  [route = 'chat']: readonly ServerRoute[],
  models: readonly string[],
): string {
  if (models.includes('sd-cpp-local')) return 'sd';
  return NAMES_BY_PORT.get(port) ?? NAMES_BY_ROUTE[route];
}
