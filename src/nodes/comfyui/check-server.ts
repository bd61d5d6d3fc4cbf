// Checks a ComfyUI server: whether it answers, its version and devices, and how many prompts run and wait there.
import type { ServerDevice, ServerReport } from '../../graph/comfyui/server-report.ts';
import { toError } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import { toHeaders } from '../../providers/comfyui.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import { asArray, asNonEmptyText, asRecord, parseResponseObject } from '../../providers/response.ts';
import { readProbe } from '../models/provider-probes.ts';

const MAX_STATS_BYTES = 1_048_576;
/** The queue contains the graphs of its prompts. */
const MAX_QUEUE_BYTES = 4_194_304;
const MAX_DEVICES = 32;
const MAX_NAME_LENGTH = 200;

type Server = Pick<ProviderCredential, 'endpoint' | 'fetch'>;

/** Returns the report, or a sentence that says why the server cannot be used. */
export async function checkServer(
  server: Server,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ServerReport | string> {
  try {
    const stats = await get(server, '/system_stats', { timeoutMs, maxBytes: MAX_STATS_BYTES, signal });
    const { error } = readProbe('comfyui', stats);
    const body = parseResponseObject(stats);
    if (error !== null) return error;
    if (body === undefined) return 'The address does not respond like ComfyUI.';
    const { system, devices } = asRecord(body);
    return {
      version: toName(asRecord(system).comfyui_version) ?? null,
      devices: asArray(devices).slice(0, MAX_DEVICES).map(readDevice),
      ...(await readQueue(server, timeoutMs, signal)),
    };
  } catch (err) {
    signal.throwIfAborted();
    return toError(err).message;
  }
}

async function readQueue(
  server: Server,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Pick<ServerReport, 'running' | 'waiting'>> {
  try {
    const response = await get(server, '/queue', { timeoutMs, maxBytes: MAX_QUEUE_BYTES, signal });
    const { queue_running, queue_pending } = asRecord(parseResponseObject(response));
    return { running: asArray(queue_running).length, waiting: asArray(queue_pending).length };
  } catch (err) {
    if (!(err instanceof FetchError) || err.code !== 'too_large') throw err;
    const response = await get(server, '/prompt', { timeoutMs, maxBytes: MAX_STATS_BYTES, signal });
    const { exec_info } = asRecord(parseResponseObject(response));
    const total = toCount(asRecord(exec_info).queue_remaining) ?? 0;
    return { running: Math.min(1, total), waiting: Math.min(MAX_COUNT, Math.max(0, total - 1)) };
  }
}

function readDevice(device: unknown): ServerDevice {
  const { name, vram_total, vram_free } = asRecord(device);
  return {
    name: toName(name) ?? 'unknown',
    vramTotal: toCount(vram_total),
    vramFree: toCount(vram_free),
  };
}

const toName = (value: unknown): string | undefined =>
  asNonEmptyText(value)
    ?.slice(0, MAX_NAME_LENGTH)
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed();

const MAX_COUNT = 1_000_000;

const toCount = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;

const get = (
  { endpoint, fetch }: Server,
  path: string,
  limits: { readonly timeoutMs: number; readonly maxBytes: number; readonly signal: AbortSignal },
): ReturnType<Server['fetch']> =>
  fetch(endpoint.baseUrl + path, { method: 'GET', headers: toHeaders(endpoint.key), ...limits });
